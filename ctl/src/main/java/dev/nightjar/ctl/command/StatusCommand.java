/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.ctl.command;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The short form of {@code endpoint status}; owned by the thread that runs the command. */
@Command(
        name = "status",
        customSynopsis = "nightjar ctl status [OPTION...]",
        description = "Tells the state of each endpoint: short for endpoint status.")
final class StatusCommand extends CtlCommand {

    @Option(names = "--cluster", description = "Ask the endpoints of all members instead of those of --endpoints.")
    private boolean wholeCluster;

    @Override
    void run(RootCommand root) {
        new EndpointQueries(root).status(wholeCluster);
    }
}

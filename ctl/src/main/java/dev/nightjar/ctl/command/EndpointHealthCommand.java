/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.ctl.command;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ParentCommand;

/** Tells whether each endpoint serves; owned by the thread that runs the command. */
@Command(
        name = "health",
        customSynopsis = "nightjar ctl endpoint health [OPTION...]",
        description =
                "Tells whether each endpoint serves: it must answer a read that needs a quorum, and know of no alarm.")
final class EndpointHealthCommand extends CtlCommand {

    @ParentCommand
    private @Nullable EndpointCommand parent;

    @Override
    void run(RootCommand root) {
        new EndpointQueries(root).health(parent != null && parent.wholeCluster());
    }
}

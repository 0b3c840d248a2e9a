/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.ctl.command;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** The commands about endpoints; owned by the thread that runs the command. */
@Command(
        name = "endpoint",
        customSynopsis = "nightjar ctl endpoint [OPTION...] COMMAND",
        description = "Commands about endpoints.",
        subcommands = {EndpointStatusCommand.class, EndpointHealthCommand.class, EndpointHashKvCommand.class})
final class EndpointCommand implements Runnable {

    @Spec
    private @Nullable CommandSpec spec;

    @Option(
            names = "--cluster",
            scope = ScopeType.INHERIT,
            description = "Ask the endpoints of all members instead of those of --endpoints.")
    private boolean wholeCluster;

    /** Without a command: prints the help. */
    @Override
    public void run() {
        if (spec != null) {
            spec.commandLine().usage(spec.commandLine().getOut());
        }
    }

    boolean wholeCluster() {
        return wholeCluster;
    }
}

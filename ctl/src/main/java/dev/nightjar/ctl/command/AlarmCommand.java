/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.ctl.command;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** The commands about alarms; owned by the thread that runs the command. */
@Command(
        name = "alarm",
        customSynopsis = "nightjar ctl alarm COMMAND",
        description = "Commands about alarms.",
        subcommands = {AlarmListCommand.class, AlarmDisarmCommand.class})
final class AlarmCommand implements Runnable {

    @Spec
    private @Nullable CommandSpec spec;

    /** Without a command: prints the help. */
    @Override
    public void run() {
        if (spec != null) {
            spec.commandLine().usage(spec.commandLine().getOut());
        }
    }
}

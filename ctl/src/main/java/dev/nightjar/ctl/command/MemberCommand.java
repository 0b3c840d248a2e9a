/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.ctl.command;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** The commands about members; owned by the thread that runs the command. */
@Command(
        name = "member",
        customSynopsis = "nightjar ctl member COMMAND",
        description = "Commands about members.",
        subcommands = MemberListCommand.class)
final class MemberCommand implements Runnable {

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

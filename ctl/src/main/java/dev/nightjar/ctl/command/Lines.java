/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.ctl.command;

import dev.nightjar.ctl.client.CtlException;
import dev.nightjar.ctl.client.Durations;
import dev.nightjar.ctl.client.ExitCode;
import java.time.Duration;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/** Command lines: how arguments become the fields of a command. Stateless, any thread. */
public final class Lines {

    private Lines() {}

    /** The parser for a command, with the notations of this tool. */
    public static CommandLine parser(Object command) {
        CommandLine line = new CommandLine(command)
                .registerConverter(Duration.class, Durations::parse)
                .setOverwrittenOptionsAllowed(true)
                .setExpandAtFiles(false);
        HelpText.install(line);
        return line;
    }

    /**
     * Fills the fields of a command that comes as one line of input.
     *
     * @param exitCode for arguments that make no sense
     * @throws CtlException if the arguments make no sense
     */
    static <C> C parse(C command, List<String> arguments, ExitCode exitCode) {
        try {
            parser(command).parseArgs(arguments.toArray(String[]::new));
            return command;
        } catch (ParameterException e) {
            throw new CtlException(exitCode, UsageErrors.text(e), e);
        }
    }
}

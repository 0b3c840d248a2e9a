/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.ctl.command;

import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** The words for command lines that make no sense; stateless, any thread. */
public final class UsageErrors {

    private UsageErrors() {}

    /** What is wrong with a command line. */
    public static String text(ParameterException e) {
        return switch (e) {
            case UnmatchedArgumentException unmatched -> unmatched(unmatched);
            case MissingParameterException missing ->
                "flag needs an argument: " + name(missing.getMissing().getFirst());
            default -> other(e);
        };
    }

    private static String unmatched(UnmatchedArgumentException e) {
        String argument = e.getUnmatched().getFirst();
        if (argument.startsWith("--")) {
            return "unknown flag: " + argument;
        }
        if (argument.startsWith("-") && argument.length() > 1) {
            return "unknown shorthand flag: '" + argument.charAt(1) + "' in " + argument;
        }
        return "unknown command \"" + argument + "\" for \""
                + e.getCommandLine().getCommandSpec().qualifiedName() + "\"";
    }

    private static String other(ParameterException e) {
        ArgSpec argument = e.getArgSpec();
        if (argument == null || e.getValue() == null) {
            return String.valueOf(e.getMessage());
        }
        return "invalid argument \"" + e.getValue() + "\" for \"" + name(argument) + "\" flag";
    }

    private static String name(ArgSpec argument) {
        return argument instanceof OptionSpec option ? option.longestName() : argument.paramLabel();
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.ctl.command;

import dev.nightjar.ctl.client.CtlException;
import dev.nightjar.ctl.client.ExitCode;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.IDefaultValueProvider;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/** Takes the options of the tool from the environment as well: --write-out is ETCDCTL_WRITE_OUT. Immutable, any thread. */
public final class GlobalEnvironment implements IDefaultValueProvider {

    private static final String PREFIX = "ETCDCTL_";

    private final Map<String, String> environment;

    public GlobalEnvironment(Map<String, String> environment) {
        this.environment = environment;
    }

    @Override
    public @Nullable String defaultValue(ArgSpec argument) {
        if (argument instanceof OptionSpec option && isGlobal(option)) {
            String value = environment.getOrDefault(variable(option), "");
            return value.isEmpty() ? null : value;
        }
        return null;
    }

    /**
     * Makes sure that nothing is said twice.
     *
     * @throws CtlException if an option is given on the command line and in the environment
     */
    public void requireNoConflict(ParseResult result) {
        for (CommandLine command : result.asCommandLineList()) {
            for (OptionSpec option : command.getParseResult().matchedOptions()) {
                if (isGlobal(option)
                        && !environment.getOrDefault(variable(option), "").isEmpty()) {
                    throw new CtlException(
                            ExitCode.ERROR,
                            "conflicting environment variable \"" + variable(option)
                                    + "\" is shadowed by corresponding command-line flag (either unset environment"
                                    + " variable or disable flag)");
                }
            }
        }
    }

    private static boolean isGlobal(OptionSpec option) {
        return option.command().root().findOption(option.longestName()) != null && !option.usageHelp();
    }

    private static String variable(OptionSpec option) {
        return PREFIX
                + option.longestName()
                        .substring("--".length())
                        .replace('-', '_')
                        .toUpperCase(Locale.ROOT);
    }
}

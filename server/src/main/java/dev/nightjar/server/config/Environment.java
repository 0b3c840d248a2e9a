/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.config;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The environment as a source of flag values. Stateless.
 *
 * <p>Each flag may also be given as {@code NIGHTJAR_} or {@code ETCD_} and its name in capitals with underscores; where
 * both are set, the first holds. The command line and the environment may not name the same flag. Other variables with
 * these prefixes are probably mistakes: they are noted and otherwise ignored.
 */
final class Environment {
    private static final List<String> PREFIXES = List.of("ETCD_", "NIGHTJAR_");

    /** Flags that an environment cannot usefully set. */
    private static final Set<Flag<?>> LINE_ONLY = Set.of(FlagTable.VERSION);

    /** Variables of the start script. */
    private static final Set<String> OF_THE_SCRIPT = Set.of("NIGHTJAR_JAVA_OPTS");

    private static final String CONFLICT = "conflicting environment variable is shadowed by corresponding command-line"
            + " flag (either unset environment variable or disable flag))";

    private Environment() {}

    /**
     * Adds to {@code values} what the environment says about flags that are not set.
     *
     * @param notices where lines for the log are added
     * @return false if a flag was given twice; the last notice tells which
     */
    static boolean apply(Map<String, String> environment, FlagValues values, List<StartRequest.Notice> notices)
            throws ConfigException {
        Set<Flag<?>> onCommandLine = values.flags();
        Map<String, String> ours = ofOurs(environment);
        for (String prefix : PREFIXES) {
            for (Flag<?> flag : FlagTable.ALL) {
                String variable = flag.variable(prefix);
                String value = ours.getOrDefault(variable, "");
                if (value.isEmpty()) {
                    continue;
                }
                if (!settable(flag)) {
                    notices.add(notice(LogLevel.WARN, "cannot set special environment variable", variable, value));
                } else if (onCommandLine.contains(flag)) {
                    notices.add(whole(LogLevel.FATAL, CONFLICT, variable, value));
                    return false;
                } else {
                    set(flag, variable, value, values);
                    notices.add(notice(LogLevel.INFO, "recognized and used environment variable", variable, value));
                }
                ours.remove(variable);
            }
        }
        ours.forEach((variable, value) ->
                notices.add(whole(LogLevel.WARN, "unrecognized environment variable", variable, value)));
        return true;
    }

    /** Whether a variable can stand in for {@code flag}. */
    static boolean settable(Flag<?> flag) {
        return !LINE_ONLY.contains(flag);
    }

    private static Map<String, String> ofOurs(Map<String, String> environment) {
        Map<String, String> ours = new TreeMap<>();
        environment.forEach((variable, value) -> {
            if (PREFIXES.stream().anyMatch(variable::startsWith) && !OF_THE_SCRIPT.contains(variable)) {
                ours.put(variable, value);
            }
        });
        return ours;
    }

    private static void set(Flag<?> flag, String variable, String value, FlagValues values) throws ConfigException {
        try {
            values.set(flag, value);
        } catch (ConfigException e) {
            throw new ConfigException("invalid value \"" + value + "\" for " + variable + ": " + e.getMessage());
        }
    }

    private static StartRequest.Notice notice(LogLevel level, String message, String variable, String value) {
        Map<String, String> fields = new LinkedHashMap<>();
        fields.put("variable-name", variable);
        fields.put("variable-value", value);
        return new StartRequest.Notice(level, message, fields);
    }

    private static StartRequest.Notice whole(LogLevel level, String message, String variable, String value) {
        return new StartRequest.Notice(level, message, Map.of("environment-variable", variable + "=" + value));
    }
}

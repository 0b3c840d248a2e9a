/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.config;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads arguments by the rules of Go's flag package, which scripts for etcd rely on. Stateless.
 *
 * <p>{@code -flag} and {@code --flag} are equal; a value follows after {@code =} or as the next word; a boolean flag
 * takes a value only after {@code =}; the last of several wins; reading stops at the first word that is no flag, and
 * after {@code --}. A flag that is not given is taken from the environment, see {@link Environment}.
 */
public final class CommandLine {
    private final FlagValues values = new FlagValues();
    private @Nullable String leftOver;
    private boolean help;

    private CommandLine() {}

    /** Reads {@code arguments} and {@code environment}; touches neither. */
    public static StartRequest read(List<String> arguments, Map<String, String> environment) {
        CommandLine line = new CommandLine();
        try {
            line.parse(arguments);
        } catch (ConfigException e) {
            return new StartRequest.Malformed(e.getMessage());
        }
        if (line.help) {
            return new StartRequest.Help();
        }
        List<StartRequest.Notice> notices = new ArrayList<>();
        if (line.leftOver != null) {
            notices.add(failure("\"" + line.leftOver + "\" is not a valid flag"));
            return new StartRequest.Unusable(List.copyOf(notices));
        }
        if (line.values.get(FlagTable.VERSION)) {
            return new StartRequest.Version();
        }
        try {
            if (Environment.apply(environment, line.values, notices)) {
                String wrongLevel = wrongLogLevel(line.values.get(FlagTable.LOG_LEVEL));
                if (wrongLevel != null) {
                    return new StartRequest.Panic(List.copyOf(notices), wrongLevel);
                }
                ServerConfig config = ConfigReader.read(line.values);
                notices.addAll(ConfigReader.remarks(line.values, config));
                return new StartRequest.Serve(config, List.copyOf(notices));
            }
        } catch (ConfigException e) {
            notices.add(failure(e.getMessage()));
        }
        return new StartRequest.Unusable(List.copyOf(notices));
    }

    /** What is wrong with a log level; null if nothing is. */
    private static @Nullable String wrongLogLevel(String level) {
        try {
            var _ = LogLevel.parse(level);
            return null;
        } catch (ConfigException e) {
            return e.getMessage();
        }
    }

    private static StartRequest.Notice failure(String error) {
        return new StartRequest.Notice(LogLevel.WARN, "failed to verify flags", Map.of("error", error));
    }

    private void parse(List<String> arguments) throws ConfigException {
        int next = 0;
        while (next < arguments.size() && !help) {
            String word = arguments.get(next);
            if (word.length() < 2 || word.charAt(0) != '-') {
                leftOver = word;
                return;
            }
            next++;
            if (word.equals("--")) {
                leftOver = next < arguments.size() ? arguments.get(next) : null;
                return;
            }
            next += flag(word, next < arguments.size() ? arguments.get(next) : null);
        }
    }

    /** Takes in one flag; returns how many of the following words it used up. */
    private int flag(String word, @Nullable String following) throws ConfigException {
        String body = word.substring(word.startsWith("--") ? 2 : 1);
        if (body.isEmpty() || body.startsWith("-") || body.startsWith("=")) {
            throw new ConfigException("bad flag syntax: " + word);
        }
        int equals = body.indexOf('=');
        String name = equals < 0 ? body : body.substring(0, equals);
        Flag<?> flag = FlagTable.BY_NAME.get(name);
        if (flag == null) {
            if (name.equals("help") || name.equals("h")) {
                help = true;
                return 0;
            }
            throw new ConfigException("flag provided but not defined: -" + name);
        }
        if (flag.isBool()) {
            set(flag, equals < 0 ? "true" : body.substring(equals + 1), "invalid boolean value \"%s\" for -%s: %s");
            return 0;
        }
        String value = equals < 0 ? following : body.substring(equals + 1);
        if (value == null) {
            throw new ConfigException("flag needs an argument: -" + name);
        }
        set(flag, value, "invalid value \"%s\" for flag -%s: %s");
        return equals < 0 ? 1 : 0;
    }

    private void set(Flag<?> flag, String value, String complaint) throws ConfigException {
        try {
            values.set(flag, value);
        } catch (ConfigException e) {
            throw new ConfigException(complaint.formatted(value, flag.name(), e.getMessage()));
        }
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.config;

import java.util.Locale;

/** How grave a log line is, lowest first. */
public enum LogLevel {
    DEBUG,
    INFO,
    WARN,
    ERROR,
    PANIC,
    FATAL;

    /** The names are zap's, which etcd's logs are written with. */
    static LogLevel parse(String text) throws ConfigException {
        return switch (text.toLowerCase(Locale.ROOT)) {
            case "" -> INFO;
            case "warning" -> WARN;
            case "dpanic" -> PANIC;
            default -> named(text);
        };
    }

    private static LogLevel named(String text) throws ConfigException {
        for (LogLevel level : values()) {
            if (level.text().equals(text.toLowerCase(Locale.ROOT))) {
                return level;
            }
        }
        throw new ConfigException("unrecognized level: \"" + text + "\"");
    }

    /** As a log line and the flag spell it. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}

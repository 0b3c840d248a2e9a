/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.config;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * One row of the table of flags. An immutable value.
 *
 * @param <T> what its value becomes
 * @param section where the reference page shows it
 * @param name as on the command line, without dashes
 * @param type how its value is read
 * @param defaultText the value that holds when it is not given, in the form of the command line
 * @param help what it does, for the reference page and {@code --help}
 */
record Flag<T>(Section section, String name, FlagType<T> type, String defaultText, String help) {

    /** The parts of the reference page, in its order. */
    enum Section {
        MEMBER("Member"),
        CLUSTERING("Clustering"),
        LIMITS("Limits and timing"),
        COMPACTION("Compaction"),
        LOGGING("Logging"),
        PROCESS("Process");

        private final String title;

        Section(String title) {
            this.title = title;
        }

        String title() {
            return title;
        }
    }

    /** The table has each name once. Also, what a record would have here by itself takes long at the first call. */
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Flag<?> flag && flag.name.equals(name);
    }

    @Override
    public int hashCode() {
        return name.hashCode();
    }

    /** Whether it may stand alone, without a value. */
    boolean isBool() {
        return type == FlagType.BOOL;
    }

    /** The environment variable that stands in for it, for example {@code ETCD_DATA_DIR}. */
    String variable(String prefix) {
        return prefix + name.toUpperCase(Locale.ROOT).replace('-', '_');
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.config;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Values by flag while the configuration is being gathered; what is not set has its default. Mutable, used by one
 * thread at the start. A text is read when it is set, so a value that is in here is well formed.
 */
final class FlagValues {
    private final Map<Flag<?>, Object> set = new LinkedHashMap<>();

    static FlagValues of(Map<String, String> flags) throws ConfigException {
        FlagValues values = new FlagValues();
        for (Map.Entry<String, String> entry : flags.entrySet()) {
            Flag<?> flag = FlagTable.BY_NAME.get(entry.getKey());
            if (flag == null) {
                throw new ConfigException("flag provided but not defined: -" + entry.getKey());
            }
            try {
                values.set(flag, entry.getValue());
            } catch (ConfigException e) {
                throw new ConfigException(
                        "invalid value \"" + entry.getValue() + "\" for flag -" + flag.name() + ": " + e.getMessage());
            }
        }
        return values;
    }

    /** Reads and keeps a value, in place of an earlier one. The exception tells the reason alone. */
    void set(Flag<?> flag, String text) throws ConfigException {
        Object value = flag.type().parse(text);
        set.put(flag, value);
    }

    /** Whether it was given. */
    boolean isSet(Flag<?> flag) {
        return set.containsKey(flag);
    }

    /** Those that were given so far. */
    Set<Flag<?>> flags() {
        return Set.copyOf(set.keySet());
    }

    @SuppressWarnings("unchecked") // set() reads the value with the flag's own type
    <T> T get(Flag<T> flag) {
        @Nullable Object value = set.get(flag);
        if (value != null) {
            return (T) value;
        }
        try {
            return flag.type().parse(flag.defaultText());
        } catch (ConfigException e) {
            throw new IllegalStateException("the default of --" + flag.name() + " is malformed", e);
        }
    }
}

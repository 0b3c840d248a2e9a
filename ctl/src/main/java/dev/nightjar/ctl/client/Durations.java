/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.ctl.client;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations in the notation of etcd's tools, such as 1.5s, 1m30s or 250ms; stateless, any thread. */
public final class Durations {

    private static final Map<String, Long> NANOS = Map.of(
            "ns", 1L,
            "us", 1_000L,
            "µs", 1_000L,
            "ms", 1_000_000L,
            "s", 1_000_000_000L,
            "m", 60_000_000_000L,
            "h", 3_600_000_000_000L);
    private static final Pattern PART = Pattern.compile("(\\d+(?:\\.\\d*)?|\\.\\d+)(ns|us|µs|ms|s|m|h)");
    private static final Pattern WHOLE = Pattern.compile("(?:" + PART.pattern() + ")+");

    private Durations() {}

    /**
     * Reads a duration.
     *
     * @throws IllegalArgumentException if it is not one, or is longer than a long can count in nanoseconds
     */
    public static Duration parse(String text) {
        if (text.equals("0")) {
            return Duration.ZERO;
        }
        if (!WHOLE.matcher(text).matches()) {
            throw new IllegalArgumentException("not a duration such as 5s or 1m30s");
        }
        BigDecimal nanos = BigDecimal.ZERO;
        Matcher parts = PART.matcher(text);
        while (parts.find()) {
            nanos = nanos.add(new BigDecimal(parts.group(1)).multiply(BigDecimal.valueOf(unit(parts.group(2)))));
        }
        if (nanos.compareTo(BigDecimal.valueOf(Long.MAX_VALUE)) > 0) {
            throw new IllegalArgumentException("too long a duration");
        }
        return Duration.ofNanos(nanos.longValue());
    }

    /** Writes a duration that is not negative, in the largest unit below an hour that gives a whole part, and no trailing zeros. */
    public static String format(long nanos) {
        if (nanos == 0) {
            return "0s";
        }
        if (nanos < 1_000) {
            return nanos + "ns";
        }
        if (nanos < 1_000_000) {
            return decimal(nanos, 3) + "µs";
        }
        if (nanos < 1_000_000_000) {
            return decimal(nanos, 6) + "ms";
        }
        long minutes = nanos / 60_000_000_000L;
        String seconds = decimal(nanos % 60_000_000_000L, 9) + "s";
        if (minutes == 0) {
            return seconds;
        }
        return (minutes < 60 ? "" : minutes / 60 + "h") + minutes % 60 + "m" + seconds;
    }

    private static long unit(String name) {
        Long nanos = NANOS.get(name);
        if (nanos == null) {
            throw new IllegalArgumentException("unknown unit " + name);
        }
        return nanos;
    }

    private static String decimal(long value, int places) {
        BigDecimal number = BigDecimal.valueOf(value, places).stripTrailingZeros();
        return number.toPlainString();
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.config;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Durations in the text form of Go, which flags take and log lines show: {@code 1h30m}, {@code 1.5s}, {@code -20ms}. A
 * stateless helper. The range is that of a signed 64-bit number of nanoseconds, about 292 years.
 */
public final class GoDuration {
    private static final Pattern WHOLE = Pattern.compile("[+-]?(?:(?:\\d+\\.?\\d*|\\.\\d+)(?:ns|us|µs|μs|ms|s|m|h))+");
    private static final Pattern PART = Pattern.compile("(\\d+\\.?\\d*|\\.\\d+)(ns|us|µs|μs|ms|s|m|h)");

    private static final long MICRO = 1_000L;
    private static final long MILLI = 1_000_000L;
    private static final long SECOND = 1_000_000_000L;

    /** A fraction up to here has room for another digit. */
    private static final long MOST_FRACTION = Long.MAX_VALUE / 10 - 1;

    private GoDuration() {}

    /** Reads {@code text}; a bare {@code 0} needs no unit. */
    public static Duration parse(String text) throws ConfigException {
        String unsigned = text.startsWith("-") || text.startsWith("+") ? text.substring(1) : text;
        if (unsigned.equals("0")) {
            return Duration.ZERO;
        }
        if (!WHOLE.matcher(text).matches()) {
            throw new ConfigException("parse error");
        }
        long nanos = 0;
        Matcher part = PART.matcher(unsigned);
        try {
            while (part.find()) {
                nanos = Math.addExact(nanos, nanos(part.group(1), unitNanos(part.group(2))));
            }
        } catch (ArithmeticException e) {
            throw new ConfigException("parse error");
        }
        return Duration.ofNanos(text.startsWith("-") ? -nanos : nanos);
    }

    /**
     * A number of units, rounded as Go does.
     *
     * @throws ArithmeticException if it is out of range
     */
    private static long nanos(String number, long unit) {
        int point = number.indexOf('.');
        long whole = 0;
        for (int i = 0; i < (point < 0 ? number.length() : point); i++) {
            whole = Math.addExact(Math.multiplyExact(whole, 10L), number.charAt(i) - '0');
        }
        long fraction = 0;
        double scale = 1;
        for (int i = point + 1; point >= 0 && i < number.length() && fraction <= MOST_FRACTION; i++) {
            fraction = 10 * fraction + number.charAt(i) - '0';
            scale *= 10;
        }
        return Math.addExact(Math.multiplyExact(whole, unit), (long) (fraction * (unit / scale)));
    }

    /** Writes {@code duration} as Go would. */
    public static String format(Duration duration) {
        return format(duration.toNanos());
    }

    /** Writes a number of nanoseconds as Go would. */
    public static String format(long nanos) {
        if (nanos == 0) {
            return "0s";
        }
        StringBuilder out = new StringBuilder(24);
        if (nanos < 0) {
            out.append('-');
        }
        long rest = Math.abs(nanos); // Long.MIN_VALUE stays negative; the unsigned arithmetic below reads it right
        if (Long.compareUnsigned(rest, SECOND) < 0) {
            appendSubSecond(out, rest);
            return out.toString();
        }
        long seconds = Long.divideUnsigned(rest, SECOND);
        long hours = seconds / 3600;
        long minutes = seconds / 60 % 60;
        if (hours > 0) {
            out.append(hours).append('h');
        }
        if (hours > 0 || minutes > 0) {
            out.append(minutes).append('m');
        }
        appendDecimal(out, seconds % 60, Long.remainderUnsigned(rest, SECOND), 9);
        return out.append('s').toString();
    }

    private static void appendSubSecond(StringBuilder out, long nanos) {
        if (nanos < MICRO) {
            out.append(nanos).append("ns");
        } else if (nanos < MILLI) {
            appendDecimal(out, nanos / MICRO, nanos % MICRO, 3);
            out.append("µs");
        } else {
            appendDecimal(out, nanos / MILLI, nanos % MILLI, 6);
            out.append("ms");
        }
    }

    /** {@code whole} and, unless it is zero, {@code fraction} with {@code digits} places, trailing zeros left out. */
    private static void appendDecimal(StringBuilder out, long whole, long fraction, int digits) {
        out.append(whole);
        if (fraction == 0) {
            return;
        }
        String text = Long.toString(fraction);
        out.append('.').repeat('0', digits - text.length());
        int end = text.length();
        while (text.charAt(end - 1) == '0') {
            end--;
        }
        out.append(text, 0, end);
    }

    private static long unitNanos(String unit) {
        return switch (unit) {
            case "ns" -> 1;
            case "us", "µs", "μs" -> MICRO;
            case "ms" -> MILLI;
            case "s" -> SECOND;
            case "m" -> 60 * SECOND;
            case "h" -> 3600 * SECOND;
            default -> throw new IllegalArgumentException(unit);
        };
    }
}

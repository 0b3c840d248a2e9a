/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.wire;

/** The {@code grpc-timeout} header: up to eight digits and a unit. Stateless. */
final class GrpcTimeout {

    static final long MALFORMED = -1;

    private static final int MAX_DIGITS = 8;

    private GrpcTimeout() {}

    /** Nanoseconds, at most {@link Long#MAX_VALUE}, or {@link #MALFORMED}. */
    static long parseNanos(CharSequence text) {
        int digits = text.length() - 1;
        if (digits < 1 || digits > MAX_DIGITS) {
            return MALFORMED;
        }
        long value = 0;
        for (int i = 0; i < digits; i++) {
            char c = text.charAt(i);
            if (c < '0' || c > '9') {
                return MALFORMED;
            }
            value = value * 10 + (c - '0');
        }
        long unit = unitNanos(text.charAt(digits));
        if (unit == MALFORMED) {
            return MALFORMED;
        }
        return value > Long.MAX_VALUE / unit ? Long.MAX_VALUE : value * unit;
    }

    private static long unitNanos(char unit) {
        return switch (unit) {
            case 'n' -> 1L;
            case 'u' -> 1_000L;
            case 'm' -> 1_000_000L;
            case 'S' -> 1_000_000_000L;
            case 'M' -> 60_000_000_000L;
            case 'H' -> 3_600_000_000_000L;
            default -> MALFORMED;
        };
    }
}

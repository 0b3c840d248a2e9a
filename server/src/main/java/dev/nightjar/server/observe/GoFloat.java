/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.observe;

import java.math.BigDecimal;

/** Numbers in the shortest text form of Go, which Prometheus text from etcd has: {@code 2}, {@code 0.001}, {@code 2.5e+09}. */
final class GoFloat {
    private GoFloat() {}

    static void append(StringBuilder out, double number) {
        if (Double.isNaN(number)) {
            out.append("NaN");
        } else if (Double.isInfinite(number)) {
            out.append(number > 0 ? "+Inf" : "-Inf");
        } else if (number == 0) {
            out.append('0');
        } else if (number == (int) number && Math.abs(number) < 1_000_000) {
            out.append((int) number);
        } else {
            appendDecimal(out, new BigDecimal(Double.toString(number)).stripTrailingZeros());
        }
    }

    /** Below 1e-4 and from 1e6 on with an exponent. */
    private static void appendDecimal(StringBuilder out, BigDecimal number) {
        int exponent = number.precision() - number.scale() - 1;
        if (exponent >= -4 && exponent < 6) {
            out.append(number.toPlainString());
            return;
        }
        String digits = number.unscaledValue().abs().toString();
        out.append(number.signum() < 0 ? "-" : "").append(digits.charAt(0));
        if (digits.length() > 1) {
            out.append('.').append(digits, 1, digits.length());
        }
        out.append('e').append(exponent < 0 ? '-' : '+');
        if (Math.abs(exponent) < 10) {
            out.append('0');
        }
        out.append(Math.abs(exponent));
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.ctl.print;

/** Sizes in decimal units with two digits at most before the unit changes shape: 999 B, 1.0 kB, 25 kB, 2.1 GB; any thread. */
final class Sizes {

    private static final String[] UNITS = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
    private static final int STEP = 1000;

    private Sizes() {}

    /** The size, rounded to tenths below ten units and else to whole units; a negative count is taken as unsigned. */
    static String format(long bytes) {
        double value = bytes >= 0 ? bytes : (bytes >>> 1) * 2.0;
        if (value < 10) {
            return bytes + " B";
        }
        int unit = 0;
        while (value >= STEP && unit < UNITS.length - 1) {
            value /= STEP;
            unit++;
        }
        double tenths = Math.floor(value * 10 + 0.5);
        if (tenths < 100) {
            return (long) tenths / 10 + "." + (long) tenths % 10 + " " + UNITS[unit];
        }
        return Math.round(Math.rint(tenths / 10)) + " " + UNITS[unit];
    }
}

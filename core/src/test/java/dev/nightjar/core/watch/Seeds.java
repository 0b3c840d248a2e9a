/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.watch;

import java.util.Random;

/** Seeds of random tests: from the system property {@code nightjar.seed}, else fixed and a fresh one. */
final class Seeds {
    static final String PROPERTY = "nightjar.seed";

    private Seeds() {}

    /** The seed given by the property, else {@code count} seeds of which the first half never change. */
    static long[] some(int count) {
        Long given = Long.getLong(PROPERTY);
        if (given != null) {
            return new long[] {given};
        }
        long[] seeds = new long[count];
        Random fresh = new Random();
        for (int i = 0; i < count; i++) {
            seeds[i] = i < count / 2 ? i : fresh.nextLong();
        }
        return seeds;
    }

    /** Tells how to see a failure again. */
    static AssertionError failed(long seed, String test, Throwable cause) {
        return new AssertionError(
                "seed " + seed
                        + "; again with: ./mvnw -pl core -am test -Dsurefire.failIfNoSpecifiedTests=false -Dtest="
                        + test + " -D" + PROPERTY + "=" + seed,
                cause);
    }
}

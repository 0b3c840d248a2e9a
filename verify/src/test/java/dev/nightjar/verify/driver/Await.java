/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.driver;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/**
 * Waits for what a server can only be asked for again and again; any thread. A question is a request over the network, and
 * its answer is what the next one waits for.
 */
public final class Await {
    private Await() {}

    /** Asks until the answer is yes; fails after {@code limit}. */
    public static void until(String what, Duration limit, BooleanSupplier condition) {
        long end = System.nanoTime() + limit.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > end) {
                throw new AssertionError("not within " + limit + ": " + what);
            }
        }
    }
}

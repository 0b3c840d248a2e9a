/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.driver;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits for what can only be asked for again and again; any thread. */
public final class Await {
    private static final long PAUSE_NANOS = Duration.ofMillis(20).toNanos();

    private Await() {}

    /** Asks until the answer is yes; fails after {@code limit}. */
    public static void until(String what, Duration limit, BooleanSupplier condition) {
        long end = System.nanoTime() + limit.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > end) {
                throw new AssertionError("not within " + limit + ": " + what);
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }
}

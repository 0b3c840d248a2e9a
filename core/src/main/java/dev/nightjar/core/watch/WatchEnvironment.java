/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.watch;

import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/**
 * The world of one shard.
 *
 * @param loop runs the shard's tasks one after the other, never within the call; the owner of all its state
 * @param historyReader runs catch-up scans, which may wait for files; a few threads shared by all shards
 * @param timer for progress, and for the rest between turns
 * @param nanoClock monotonic time in nanoseconds
 * @param random spreads the progress of many streams over time
 */
public record WatchEnvironment(
        Executor loop, Executor historyReader, Timer timer, LongSupplier nanoClock, RandomGenerator random) {

    /** Runs a task once on the loop, after a delay. */
    @FunctionalInterface
    public interface Timer {
        void schedule(Runnable task, long delayNanos);
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.consensus;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Tells who waits that something has changed anywhere in a cluster. Any thread. */
final class Changes {
    /** Some states of a member change without a word to its state machine, so who waits looks again now and then. */
    private static final Duration LOOK_AGAIN = Duration.ofMillis(100);

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition happened = lock.newCondition();
    private long count;

    void happened() {
        lock.lock();
        try {
            count++;
            happened.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private long count() {
        lock.lock();
        try {
            return count;
        } finally {
            lock.unlock();
        }
    }

    /** Waits for the next change after the first {@code seen}, but no longer than the limit. */
    private void awaitNext(long seen, long limitNanos) {
        long left = limitNanos;
        lock.lock();
        try {
            while (count == seen && left > 0) {
                left = happened.awaitNanos(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        } finally {
            lock.unlock();
        }
    }

    /** Waits until there is a value; the test's own limit ends a wait in vain. */
    <T> T await(Supplier<Optional<T>> what) {
        while (true) {
            long seen = count();
            Optional<T> value = what.get();
            if (value.isPresent()) {
                return value.get();
            }
            awaitNext(seen, LOOK_AGAIN.toNanos());
        }
    }

    /** Waits until something holds; the test's own limit ends a wait in vain. */
    void awaitThat(BooleanSupplier condition) {
        var _ = await(() -> condition.getAsBoolean() ? Optional.of(true) : Optional.empty());
    }

    /** Waits until something holds or the limit has passed. */
    void awaitThat(BooleanSupplier condition, Duration limit) {
        long end = System.nanoTime() + limit.toNanos();
        long seen = count();
        while (!condition.getAsBoolean()) {
            long left = end - System.nanoTime();
            if (left <= 0) {
                return;
            }
            awaitNext(seen, Math.min(left, LOOK_AGAIN.toNanos()));
            seen = count();
        }
    }

    /** Waits for any change, for the limit at most. */
    void awaitAny(Duration limit) {
        awaitNext(count(), limit.toNanos());
    }
}

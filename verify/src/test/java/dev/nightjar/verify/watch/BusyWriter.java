/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.watch;

import dev.nightjar.verify.driver.ApiClient;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Puts one key without pause from a thread of its own until it is stopped. */
final class BusyWriter implements AutoCloseable {
    private final AtomicBoolean stopped = new AtomicBoolean();
    private final AtomicInteger puts = new AtomicInteger();
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private final Thread thread;

    BusyWriter(ApiClient api, String key) {
        thread = Thread.ofPlatform().name("busy writer").start(() -> write(api, key));
    }

    private void write(ApiClient api, String key) {
        try {
            while (!stopped.get()) {
                api.put(key, Integer.toString(puts.incrementAndGet()));
            }
        } catch (RuntimeException e) {
            failure.set(e);
        }
    }

    /** Stops writing; returns the number of puts, or fails with what made the writer fail. */
    int stop() throws InterruptedException {
        stopped.set(true);
        thread.join();
        if (failure.get() != null) {
            throw new AssertionError("the writer failed", failure.get());
        }
        return puts.get();
    }

    @Override
    public void close() {
        stopped.set(true);
    }
}

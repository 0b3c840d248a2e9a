/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.fault;

import dev.nightjar.verify.driver.ApiClient;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Puts one key again and again beside something large, and tells how long a put had to wait at most. */
final class OtherWriter implements AutoCloseable {
    private final String endpoint;
    private final CompletableFuture<Long> longestMillis;
    private volatile boolean stopped;

    OtherWriter(String endpoint) {
        this.endpoint = endpoint;
        this.longestMillis = CompletableFuture.supplyAsync(this::write);
    }

    private long write() {
        long longest = 0;
        try (ApiClient api = new ApiClient(endpoint)) {
            while (!stopped) {
                long begin = System.nanoTime();
                api.put("other", "value");
                longest = Math.max(longest, System.nanoTime() - begin);
            }
        }
        return TimeUnit.NANOSECONDS.toMillis(longest);
    }

    /** Stops; fails if a put has failed. */
    long longestMillis() {
        close();
        return longestMillis.join();
    }

    @Override
    public void close() {
        stopped = true;
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.fault;

import dev.nightjar.verify.driver.ApiClient;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Puts one key again and again beside something large, and tells how long a put had to wait at most. */
final class OtherWriter implements AutoCloseable {
    /** Of a put; a few times what it takes, since the machine may be busy with other things. */
    private static final long DELAY_BOUND_MILLIS = 5_000;

    /** On a machine on which all is slow, a put may take as long as so many that have nothing large beside them. */
    private static final int DELAY_TIMES = 1_000;

    private static final int QUIET_PUTS = 21;

    private final String endpoint;
    private final long boundMillis;
    private final CompletableFuture<Long> longestMillis;
    private volatile boolean stopped;

    /** Returns when it knows how long a put takes while there is nothing large, and from then on puts beside. */
    OtherWriter(String endpoint) {
        this.endpoint = endpoint;
        long relative = TimeUnit.NANOSECONDS.toMillis(DELAY_TIMES * quietNanos());
        this.boundMillis = Math.clamp(relative, DELAY_BOUND_MILLIS, 3 * DELAY_BOUND_MILLIS);
        this.longestMillis = CompletableFuture.supplyAsync(this::write);
    }

    private long quietNanos() {
        List<Long> nanos = new ArrayList<>();
        try (ApiClient api = new ApiClient(endpoint)) {
            for (int i = 0; i < QUIET_PUTS; i++) {
                nanos.add(putNanos(api));
            }
        }
        return nanos.stream().sorted().toList().get(QUIET_PUTS / 2);
    }

    private static long putNanos(ApiClient api) {
        long begin = System.nanoTime();
        api.put("other", "value");
        return System.nanoTime() - begin;
    }

    private long write() {
        long longest = 0;
        try (ApiClient api = new ApiClient(endpoint)) {
            while (!stopped) {
                longest = Math.max(longest, putNanos(api));
            }
        }
        return TimeUnit.NANOSECONDS.toMillis(longest);
    }

    /** No wait for the server may be longer. */
    long boundMillis() {
        return boundMillis;
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

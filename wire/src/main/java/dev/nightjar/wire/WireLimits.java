/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.wire;

import java.time.Duration;

/**
 * The limits of a port.
 *
 * @param maxMessageBytes largest request message after decompression
 * @param maxHeaderListBytes largest list of request headers
 * @param maxConcurrentStreams calls at a time on one connection, unsigned
 * @param maxConnections connections at a time, further ones are closed at once
 * @param keepaliveMinTime clients may not ping more often than this
 * @param keepaliveInterval idle time after which the server pings, zero for never
 * @param keepaliveTimeout how long the answer to a ping may take
 * @param streamQueueBytes bytes queued for one call beyond which it is not writable
 */
public record WireLimits(
        int maxMessageBytes,
        int maxHeaderListBytes,
        long maxConcurrentStreams,
        int maxConnections,
        Duration keepaliveMinTime,
        Duration keepaliveInterval,
        Duration keepaliveTimeout,
        int streamQueueBytes) {

    /**
     * Several times the largest tokens in use. Each connection can hold an unfinished list of this size, and one that comes
     * in many fragments is copied again and again.
     */
    private static final int MAX_HEADER_LIST_BYTES = 64 * 1024;

    /** Bytes that may wait for a slow reader of one call. */
    private static final int STREAM_QUEUE_BYTES = 1024 * 1024;

    /** What etcd does by default. */
    public static WireLimits defaults() {
        return new WireLimits(
                2 * 1024 * 1024,
                MAX_HEADER_LIST_BYTES,
                0xffff_ffffL,
                20_000,
                Duration.ofSeconds(5),
                Duration.ofHours(2),
                Duration.ofSeconds(20),
                STREAM_QUEUE_BYTES);
    }
}

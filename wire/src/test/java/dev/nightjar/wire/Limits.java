/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.wire;

import java.time.Duration;
import java.util.function.Consumer;

/** The default limits with some of them changed. */
final class Limits {

    private int maxMessageBytes = WireLimits.defaults().maxMessageBytes();
    private int maxHeaderListBytes = WireLimits.defaults().maxHeaderListBytes();
    private long maxConcurrentStreams = WireLimits.defaults().maxConcurrentStreams();
    private int maxConnections = WireLimits.defaults().maxConnections();
    private Duration keepaliveMinTime = WireLimits.defaults().keepaliveMinTime();
    private Duration keepaliveInterval = WireLimits.defaults().keepaliveInterval();
    private Duration keepaliveTimeout = WireLimits.defaults().keepaliveTimeout();
    private int streamQueueBytes = WireLimits.defaults().streamQueueBytes();

    private Limits() {}

    static WireLimits with(Consumer<Limits> changes) {
        var limits = new Limits();
        changes.accept(limits);
        return new WireLimits(
                limits.maxMessageBytes,
                limits.maxHeaderListBytes,
                limits.maxConcurrentStreams,
                limits.maxConnections,
                limits.keepaliveMinTime,
                limits.keepaliveInterval,
                limits.keepaliveTimeout,
                limits.streamQueueBytes);
    }

    void maxMessageBytes(int value) {
        maxMessageBytes = value;
    }

    void maxHeaderListBytes(int value) {
        maxHeaderListBytes = value;
    }

    void maxConcurrentStreams(long value) {
        maxConcurrentStreams = value;
    }

    void maxConnections(int value) {
        maxConnections = value;
    }

    void keepaliveMinTime(Duration value) {
        keepaliveMinTime = value;
    }

    void keepalive(Duration interval, Duration timeout) {
        keepaliveInterval = interval;
        keepaliveTimeout = timeout;
    }

    void streamQueueBytes(int value) {
        streamQueueBytes = value;
    }
}

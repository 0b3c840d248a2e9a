/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server;

import dev.nightjar.consensus.LogObserver;
import dev.nightjar.server.observe.Metrics;
import java.util.concurrent.atomic.LongAdder;

/** Measures the log's writes and syncs. Called on the log thread. */
final class LogMetrics implements LogObserver {
    private final Metrics metrics;
    private final LongAdder bytes = new LongAdder();

    LogMetrics(Metrics metrics) {
        this.metrics = metrics;
        metrics.walWriteBytes.follow(bytes::sum);
    }

    @Override
    public void written(long writtenBytes, long nanos) {
        bytes.add(writtenBytes);
        metrics.walWriteDuration.observe(Metrics.seconds(nanos));
    }

    @Override
    public void synced(long nanos) {
        metrics.walFsyncDuration.observe(Metrics.seconds(nanos));
    }
}

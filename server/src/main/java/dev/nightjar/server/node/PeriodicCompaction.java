/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.node;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * Keeps the history of the last hours: notes the revision again and again, and compacts to the one noted a retention ago.
 * Owned by the ticker.
 *
 * <pre>
 *   interval     the retention, but at most an hour
 *   samples      ten an interval
 *   first        after a whole retention; from then on after each interval in which the revision has moved on
 *   failed       again after the next sample
 * </pre>
 *
 * Samples of the time in which another member leads are taken too, so that this one can go on at once. They are as many
 * as fit into the retention: ten an hour, so years of them are no burden.
 */
final class PeriodicCompaction extends AutoCompaction {
    private static final long MAX_INTERVAL_NANOS = TimeUnit.HOURS.toNanos(1);
    private static final long SAMPLES = 10;

    /** A shorter retention would only keep the ticker busy. */
    private static final long MIN_SAMPLE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final long retentionNanos;
    private final long intervalNanos;
    private final long sampleNanos;
    private final ArrayDeque<Long> revisions = new ArrayDeque<>();
    private long successNanos;
    private long successRevision;
    private boolean first = true;

    PeriodicCompaction(Surroundings surroundings, long retentionNanos) {
        this(
                surroundings,
                retentionNanos,
                Math.max(MIN_SAMPLE_NANOS, Math.min(retentionNanos, MAX_INTERVAL_NANOS) / SAMPLES));
    }

    private PeriodicCompaction(Surroundings surroundings, long retentionNanos, long sampleNanos) {
        super("periodic", surroundings, sampleNanos);
        this.retentionNanos = retentionNanos;
        this.intervalNanos = Math.min(retentionNanos, MAX_INTERVAL_NANOS);
        this.sampleNanos = sampleNanos;
        this.successNanos = nanoTime();
    }

    @Override
    void noteRevision(long revision) {
        revisions.addLast(revision);
        if (revisions.size() > retentionNanos / sampleNanos + 1) {
            revisions.removeFirst();
        }
    }

    @Override
    long due(long nowNanos) {
        long revision = revisions.getFirst();
        long wait = first ? retentionNanos : intervalNanos;
        if (nowNanos - successNanos < wait || revision == successRevision) {
            return 0;
        }
        first = false;
        return revision;
    }

    @Override
    void completed(long revision, long nowNanos) {
        successRevision = revision;
        successNanos = nowNanos;
    }

    @Override
    LoggingEventBuilder addRetention(LoggingEventBuilder line) {
        return line.addKeyValue("compact-period", Duration.ofNanos(retentionNanos));
    }
}

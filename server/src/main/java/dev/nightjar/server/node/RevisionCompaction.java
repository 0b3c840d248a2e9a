/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.node;

import java.util.concurrent.TimeUnit;
import org.slf4j.spi.LoggingEventBuilder;

/** Keeps the newest revisions: every five minutes compacts to the one that is a retention ago. Owned by the ticker. */
final class RevisionCompaction extends AutoCompaction {
    private static final long INTERVAL_NANOS = TimeUnit.MINUTES.toNanos(5);

    private final long retention;
    private long successRevision;

    RevisionCompaction(Surroundings surroundings, long retention) {
        super("revision", surroundings, INTERVAL_NANOS);
        this.retention = retention;
    }

    @Override
    void noteRevision(long revision) {
        // Only the newest counts, and only when it is time.
    }

    @Override
    long due(long nowNanos) {
        long revision = currentRevision() - retention;
        return revision <= 0 || revision == successRevision ? 0 : revision;
    }

    @Override
    void completed(long revision, long nowNanos) {
        successRevision = revision;
    }

    @Override
    LoggingEventBuilder addRetention(LoggingEventBuilder line) {
        return line.addKeyValue("revision-compaction-retention", retention);
    }
}

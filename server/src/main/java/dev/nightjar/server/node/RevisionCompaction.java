/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.node;

import dev.nightjar.core.apply.ApiError;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Keeps the newest revisions: every five minutes compacts to the one that is a retention ago. Owned by the ticker. */
final class RevisionCompaction extends AutoCompaction {
    private static final Logger LOG = LoggerFactory.getLogger(RevisionCompaction.class);
    private static final long INTERVAL_NANOS = TimeUnit.MINUTES.toNanos(5);

    private final long retention;
    private long successRevision;

    RevisionCompaction(Surroundings surroundings, long retention) {
        super(surroundings, INTERVAL_NANOS);
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
    void starting(long revision) {
        LOG.atInfo()
                .addKeyValue("revision", revision)
                .addKeyValue("revision-compaction-retention", retention)
                .log("starting auto revision compaction");
    }

    @Override
    void completed(long revision, long nowNanos, long tookNanos) {
        successRevision = revision;
        LOG.atInfo()
                .addKeyValue("revision", revision)
                .addKeyValue("revision-compaction-retention", retention)
                .addKeyValue("took", Duration.ofNanos(tookNanos))
                .log("completed auto revision compaction");
    }

    @Override
    void failed(long revision, ApiError error) {
        LOG.atWarn()
                .addKeyValue("revision", revision)
                .addKeyValue("revision-compaction-retention", retention)
                .addKeyValue("retry-interval", Duration.ofNanos(INTERVAL_NANOS))
                .addKeyValue("error", error.text())
                .log("failed auto revision compaction");
    }
}

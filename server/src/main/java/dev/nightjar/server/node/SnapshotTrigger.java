/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.node;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks for a snapshot whenever enough entries, or enough bytes of them, were applied since the last one, also if that is
 * of an earlier run, so that the log stays short and a start has little of it to read. Owned by the apply thread; only one snapshot is under way at a time.
 */
final class SnapshotTrigger {
    private static final Logger LOG = LoggerFactory.getLogger(SnapshotTrigger.class);

    /** Bytes of entries between snapshots: a start reads so much in a tenth of a second. */
    static final long BYTES = 64L << 20;

    private final long entries;
    private final Supplier<CompletableFuture<Long>> snapshot;
    private final AtomicBoolean running = new AtomicBoolean();
    private long lastIndex;
    private long bytesSince;

    /**
     * @param entries entries between snapshots
     * @param snapshotIndex where the newest snapshot ends, 0 if there is none
     */
    SnapshotTrigger(long entries, long snapshotIndex, Supplier<CompletableFuture<Long>> snapshot) {
        this.entries = entries;
        this.lastIndex = snapshotIndex;
        this.snapshot = snapshot;
    }

    @SuppressWarnings("FutureReturnValueIgnored") // the callback is the whole reaction
    void applied(long index, long bytes) {
        bytesSince += bytes;
        boolean due = index - lastIndex >= entries || bytesSince >= BYTES;
        if (!due || !running.compareAndSet(false, true)) {
            return;
        }
        lastIndex = index;
        bytesSince = 0;
        snapshot.get().whenComplete((snapshotIndex, failure) -> {
            running.set(false);
            if (failure != null) {
                LOG.atWarn().addKeyValue("error", failure.toString()).log("failed to save snapshot");
            } else {
                LOG.atInfo().addKeyValue("snapshot-index", snapshotIndex).log("saved snapshot");
            }
        });
    }
}

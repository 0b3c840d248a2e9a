/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.node;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets go of a snapshot that keeps more than half of the disk space for what the store does not have any more. Snapshots
 * are links to the store's files: what packing removes there lives on in the newest snapshot, and without writes there
 * would be no other. Maintenance thread.
 */
final class SnapshotRenewal implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(SnapshotRenewal.class);
    private static final long PAUSE_MILLIS = 1000;

    /** A snapshot for less is not worth it. */
    static final long WORTH_BYTES = 16 << 20;

    private final BooleanSupplier packing;
    private final LongSupplier storeBytes;
    private final Supplier<CompletableFuture<Long>> snapshot;

    /** What the newest snapshot holds at most. */
    private long heldBytes;

    /**
     * @param packing whether more is to be given back presently
     * @param storeBytes size of the store
     * @param snapshot takes one, and then removes the one before
     */
    SnapshotRenewal(BooleanSupplier packing, LongSupplier storeBytes, Supplier<CompletableFuture<Long>> snapshot) {
        this.packing = packing;
        this.storeBytes = storeBytes;
        this.snapshot = snapshot;
        heldBytes = storeBytes.getAsLong();
    }

    @SuppressWarnings("FutureReturnValueIgnored") // ends with the thread
    void start(ScheduledExecutorService thread) {
        thread.scheduleWithFixedDelay(this, PAUSE_MILLIS, PAUSE_MILLIS, TimeUnit.MILLISECONDS);
    }

    @Override
    @SuppressWarnings("FutureReturnValueIgnored") // the callback is the whole reaction
    public void run() {
        long bytes = storeBytes.getAsLong();
        long gone = heldBytes - bytes;
        if (packing.getAsBoolean() || gone < Math.max(bytes, WORTH_BYTES)) {
            heldBytes = Math.max(heldBytes, bytes);
            return;
        }
        heldBytes = bytes;
        snapshot.get().whenComplete((index, failure) -> {
            if (failure != null) {
                LOG.atWarn().addKeyValue("error", failure.toString()).log("failed to save snapshot after packing");
            } else {
                LOG.atInfo()
                        .addKeyValue("snapshot-index", index)
                        .addKeyValue("given-back-bytes", gone)
                        .log("saved snapshot to give back what the one before held");
            }
        });
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.node;

import dev.nightjar.core.storage.SegmentLog;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks now and then whether a disk that was full has room again, and helps it there: what was packed stays on the disk
 * for as long as a snapshot has links to it, so a new one is taken. Maintenance thread.
 */
final class FullDisk implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(FullDisk.class);
    private static final long PAUSE_MILLIS = 1000;

    /** A snapshot for less is not worth it. */
    static final long WORTH_BYTES = 1 << 20;

    /** Also without such news: for the log's entries, and if the last snapshot failed. */
    static final int ROUNDS_TO_SNAPSHOT = 5;

    private final DiskReserve reserve;
    private final BooleanSupplier packing;
    private final LongSupplier storeBytes;
    private final Supplier<CompletableFuture<Long>> snapshot;
    private long bytesBefore;
    private long roundsTouched;

    /**
     * @param packing whether the reserve is lent to packing, which gives more back if it comes to its end
     * @param storeBytes size of the store
     * @param snapshot takes one
     */
    FullDisk(
            DiskReserve reserve,
            BooleanSupplier packing,
            LongSupplier storeBytes,
            Supplier<CompletableFuture<Long>> snapshot) {
        this.reserve = reserve;
        this.packing = packing;
        this.storeBytes = storeBytes;
        this.snapshot = snapshot;
        this.bytesBefore = storeBytes.getAsLong();
    }

    @SuppressWarnings("FutureReturnValueIgnored") // ends with the thread
    void start(ScheduledExecutorService thread) {
        // At once, so that there is a reserve before clients can have filled the disk.
        thread.scheduleWithFixedDelay(this, 0, PAUSE_MILLIS, TimeUnit.MILLISECONDS);
    }

    @Override
    public void run() {
        if (!packing.getAsBoolean()) {
            reserve.refill(Math.min(SegmentLog.SEGMENT_BYTES, storeBytes.getAsLong() / 2));
        }
        long bytes = storeBytes.getAsLong();
        if (!reserve.isTouched()) {
            roundsTouched = 0;
            bytesBefore = bytes;
            return;
        }
        roundsTouched++;
        boolean packed = bytesBefore - bytes >= WORTH_BYTES;
        if (packed || roundsTouched % ROUNDS_TO_SNAPSHOT == 0) {
            bytesBefore = bytes;
            giveBack();
        }
        bytesBefore = Math.max(bytesBefore, bytes);
    }

    @SuppressWarnings("FutureReturnValueIgnored") // the callback is the whole reaction
    private void giveBack() {
        // The first lets go of files of the store, the second of the log's entries that the first has made needless.
        snapshot.get().thenCompose(index -> snapshot.get()).whenComplete((index, failure) -> {
            // Snapshots go, too, and what they had links to, also when nothing was packed in between.
            DiskReserve.unmapRemovedFiles();
            if (failure != null) {
                LOG.atWarn().addKeyValue("error", failure.toString()).log("failed to save snapshot on a full disk");
            }
        });
    }
}

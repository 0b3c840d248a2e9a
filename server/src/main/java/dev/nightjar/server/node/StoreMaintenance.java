/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.node;

import dev.nightjar.core.mvcc.MvccStore;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The store's work in the background: syncs every few seconds, compaction in small steps, and the return of the disk space
 * that it freed. Owned by its own thread.
 */
@SuppressWarnings("FutureReturnValueIgnored") // the tasks report their failures themselves
final class StoreMaintenance {
    /** Bounds what the log has to be replayed for after a power loss. */
    private static final long SYNC_SECONDS = 5;

    /** Pause between steps of a compaction, so that writes come first. */
    private static final long STEP_PAUSE_MILLIS = 1;

    /** A long read holds up a compaction: how soon to look whether it has ended. */
    private static final long BLOCKED_PAUSE_MILLIS = 1000;

    private static final Logger LOG = LoggerFactory.getLogger(StoreMaintenance.class);

    private final MvccStore store;
    private final ScheduledExecutorService thread;
    private final Consumer<Throwable> failure;
    private boolean compacting;
    private boolean packing;
    private boolean imaging;
    private long imageBegunNanos;
    private long toldRevision;

    /** @param failure is told when the store cannot go on */
    StoreMaintenance(MvccStore store, ScheduledExecutorService thread, Consumer<Throwable> failure) {
        this.store = store;
        this.thread = thread;
        this.failure = failure;
        this.toldRevision = store.compactionDoneRevision();
    }

    void start() {
        thread.scheduleWithFixedDelay(this::sync, SYNC_SECONDS, SYNC_SECONDS, TimeUnit.SECONDS);
        thread.execute(this::compact);
    }

    /** There is something to compact; any thread. */
    void compactionAsked() {
        thread.execute(this::compact);
    }

    private void sync() {
        try {
            store.sync();
            saveImageIfDue();
        } catch (IOException | RuntimeException | Error e) {
            failure.accept(e);
        }
    }

    private void compact() {
        if (!compacting) {
            compacting = true;
            step();
        }
    }

    private void step() {
        try {
            if (store.compactStep()) {
                again(STEP_PAUSE_MILLIS);
            } else if (store.compactionDoneRevision() < store.compactedRevision()) {
                again(BLOCKED_PAUSE_MILLIS);
            } else {
                compacting = false;
                finished();
                startPacking();
            }
        } catch (RuntimeException | Error e) {
            failure.accept(e);
        }
    }

    private void saveImageIfDue() {
        if (!imaging && store.isImageDue()) {
            imaging = true;
            imageBegunNanos = System.nanoTime();
            imageStep();
        }
    }

    /** Writes an image of the index; compaction and packing wait for it. */
    private void imageStep() {
        try {
            if (store.imageStep()) {
                thread.schedule(this::imageStep, STEP_PAUSE_MILLIS, TimeUnit.MILLISECONDS);
                return;
            }
            imaging = false;
            if (!store.isImageDue()) {
                LOG.atInfo()
                        .addKeyValue("took", Duration.ofNanos(System.nanoTime() - imageBegunNanos))
                        .log("saved index image");
            }
        } catch (IOException e) {
            // The next start takes longer, no more.
            imaging = false;
            LOG.atWarn().addKeyValue("error", e.toString()).log("failed to save index image");
        } catch (RuntimeException | Error e) {
            failure.accept(e);
        }
    }

    /** Gives back the disk space of what compaction has forgotten. */
    private void startPacking() {
        if (!packing) {
            packing = true;
            packStep();
        }
    }

    private void packStep() {
        try {
            saveImageIfDue();
            if (store.packStep()) {
                thread.schedule(this::packStep, STEP_PAUSE_MILLIS, TimeUnit.MILLISECONDS);
            } else {
                packing = false;
            }
        } catch (IOException e) {
            // Nothing is lost: the space comes back after the next compaction that finds room to work in.
            packing = false;
            LOG.atWarn().addKeyValue("error", e.toString()).log("failed to give back disk space");
        } catch (RuntimeException | Error e) {
            failure.accept(e);
        }
    }

    private void again(long pauseMillis) {
        thread.schedule(this::step, pauseMillis, TimeUnit.MILLISECONDS);
    }

    private void finished() {
        if (store.compactionDoneRevision() > toldRevision) {
            toldRevision = store.compactionDoneRevision();
            LOG.atInfo().addKeyValue("compact-revision", toldRevision).log("finished scheduled compaction");
        }
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.node;

import dev.nightjar.core.mvcc.KvHash;
import dev.nightjar.core.mvcc.MvccStore;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
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

    /** Pause between pieces of an image, so that writes come first. */
    private static final long IMAGE_PAUSE_MILLIS = 1;

    /** A long read holds up a compaction, or a full disk packing: how soon to look whether that has ended. */
    private static final long BLOCKED_PAUSE_MILLIS = 1000;

    /** Pause after a piece of compacting or packing, in times of what it took: a quarter of a processor is theirs. */
    private static final int PAUSE_FOR_WORK = 3;

    /** Clients that ask for disk space at a time; all get it from the same work. */
    static final int MOST_PACKERS = 100;

    private static final Logger LOG = LoggerFactory.getLogger(StoreMaintenance.class);

    private final MvccStore store;
    private final ScheduledExecutorService thread;
    private final CompactionPace pace;
    private final Consumer<Throwable> failure;
    private final Predicate<Exception> lending;
    private final LongSupplier nanoTime;
    private final CompactionWaiters waiters;
    private final List<Consumer<@Nullable Exception>> packers = new ArrayList<>();
    private boolean compacting;
    private boolean blocked;
    private boolean packing;
    private boolean imaging;
    private long imageBegunNanos;
    private boolean closed;
    private long toldRevision;

    /**
     * @param failure is told when the store cannot go on
     * @param lending is asked when disk space could not be given back: true if there is room for another try
     * @param nanoTime tells how long a piece of work took
     */
    StoreMaintenance(
            MvccStore store,
            ScheduledExecutorService thread,
            CompactionPace pace,
            Consumer<Throwable> failure,
            Predicate<Exception> lending,
            LongSupplier nanoTime) {
        this.store = store;
        this.thread = thread;
        this.pace = pace;
        this.failure = failure;
        this.lending = lending;
        this.nanoTime = nanoTime;
        this.toldRevision = store.compactionDoneRevision();
        this.waiters = new CompactionWaiters(thread, store::compactionDoneRevision, this::tellWaiters);
    }

    void start() {
        thread.scheduleWithFixedDelay(this::sync, SYNC_SECONDS, SYNC_SECONDS, TimeUnit.SECONDS);
        thread.execute(this::compact);
    }

    /** There is something to compact; any thread. */
    void compactionAsked() {
        thread.execute(this::compact);
    }

    /** A place to wait for compactions, null if too many wait; any thread. */
    @Nullable
    PhysicalCompaction waitForCompaction(Executor loop) {
        return waiters.take(loop);
    }

    /**
     * Gives back all disk space that can be had, also where it is little. Any thread.
     *
     * @param done is called on the maintenance thread: with null, or with what went wrong
     */
    void packAll(Consumer<@Nullable Exception> done) {
        try {
            thread.execute(() -> {
                if (closed || packers.size() == MOST_PACKERS) {
                    done.accept(new RejectedExecutionException());
                } else {
                    packers.add(done);
                    startPacking();
                }
            });
        } catch (RejectedExecutionException e) {
            done.accept(e);
        }
    }

    /** Clients that wait for compactions are told that the member stops, as they would hold up its end. */
    void stopWaiting() {
        try {
            thread.execute(waiters::close);
        } catch (RejectedExecutionException e) {
            LOG.debug("maintenance has ended before");
        }
    }

    /** Whoever waits is told that nothing comes any more; before the thread ends. */
    void close() {
        try {
            thread.execute(() -> {
                closed = true;
                waiters.close();
                packed(new RejectedExecutionException());
            });
        } catch (RejectedExecutionException e) {
            LOG.debug("maintenance has ended before");
        }
    }

    private boolean sync() {
        try {
            store.sync();
            saveImageIfDue();
            return true;
        } catch (IOException | RuntimeException | Error e) {
            failure.accept(e);
            return false;
        }
    }

    private void compact() {
        if (!compacting) {
            compacting = true;
            step();
        }
    }

    private void step() {
        if (closed) {
            return;
        }
        try {
            long begunNanos = nanoTime.getAsLong();
            boolean more = store.compactStep(pace.recordsInStep());
            finished();
            blocked = !more && store.compactionDoneRevision() < store.compactedRevision();
            if (more) {
                afterPause(this::step, begunNanos, PAUSE_FOR_WORK);
            } else if (blocked) {
                later(this::step, BLOCKED_PAUSE_MILLIS);
                if (!packers.isEmpty()) {
                    startPacking();
                }
            } else {
                compacting = false;
                startPacking();
            }
        } catch (RuntimeException | Error e) {
            failure.accept(e);
        }
    }

    private void saveImageIfDue() {
        if (!imaging && store.isImageDue()) {
            imaging = true;
            imageBegunNanos = nanoTime.getAsLong();
            imageStep();
        }
    }

    /** Writes an image of the index; compaction and packing wait for it. */
    private void imageStep() {
        if (closed) {
            return;
        }
        try {
            if (store.imageStep()) {
                later(this::imageStep, IMAGE_PAUSE_MILLIS);
                return;
            }
            imaging = false;
            if (!store.isImageDue()) {
                LOG.atInfo()
                        .addKeyValue("took", Duration.ofNanos(nanoTime.getAsLong() - imageBegunNanos))
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

    /** Whether disk space is being given back just now; maintenance thread. */
    boolean isPacking() {
        return packing;
    }

    private void packStep() {
        if (closed) {
            return;
        }
        try {
            saveImageIfDue();
            long begunNanos = nanoTime.getAsLong();
            if (store.packStep(!packers.isEmpty())) {
                // Somebody who waits for the room has asked for more.
                afterPause(this::packStep, begunNanos, packers.isEmpty() ? PAUSE_FOR_WORK : 1);
                return;
            }
            packing = false;
            if (!compacting || blocked) {
                packed(null);
            }
        } catch (IOException e) {
            if (lending.test(e)) {
                later(this::packStep, BLOCKED_PAUSE_MILLIS);
                return;
            }
            // Nothing is lost: the space comes back after the next compaction that finds room to work in.
            packing = false;
            LOG.atWarn().addKeyValue("error", e.toString()).log("failed to give back disk space");
            packed(e);
        } catch (RuntimeException | Error e) {
            failure.accept(e);
            packed(new IllegalStateException(e));
        }
    }

    private void packed(@Nullable Exception problem) {
        List<Consumer<@Nullable Exception>> all = List.copyOf(packers);
        packers.clear();
        all.forEach(done -> done.accept(problem));
    }

    /** Goes on after a pause: that of the pace, or a longer one after a step that took long, of the processor or of the disk. */
    private void afterPause(Runnable task, long begunNanos, int timesAsLong) {
        long tookNanos = nanoTime.getAsLong() - begunNanos;
        later(task, Math.max(pace.pauseMillis(), TimeUnit.NANOSECONDS.toMillis(timesAsLong * tookNanos)));
    }

    private void later(Runnable task, long pauseMillis) {
        try {
            thread.schedule(task, pauseMillis, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            LOG.debug("maintenance ends with work left for the next start");
        }
    }

    private void finished() {
        long done = store.compactionDoneRevision();
        if (done > toldRevision) {
            toldRevision = done;
            KvHash hash = store.compactionHash(done);
            var line = LOG.atInfo().addKeyValue("compact-revision", done);
            if (hash != null) {
                line = line.addKeyValue("hash", Integer.toUnsignedLong(hash.hash()));
            }
            line.log("finished scheduled compaction");
            tellWaiters();
        }
    }

    private void tellWaiters() {
        if (waiters.isAnyServed()) {
            long done = store.compactionDoneRevision();
            if (sync()) {
                waiters.tell(done);
            }
        }
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.node;

import dev.nightjar.core.apply.ApiError;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Who waits for the physical side of a compaction. Places are taken and given back on any thread; who waits, and for what,
 * is kept by the maintenance thread, which is also the one that tells them.
 *
 * <pre>
 *   take     before the request goes to the log: no place, no request
 *   await    the answer of the log is there: tell me when history up to this revision is gone, durably
 *   leave    the client is gone, or was refused
 * </pre>
 */
final class CompactionWaiters {

    /** Far more than anybody needs; a read that runs for long may hold all of them up. */
    static final int MOST = 1000;

    private final Executor maintenance;
    private final LongSupplier doneRevision;
    private final Runnable wake;
    private final AtomicInteger places = new AtomicInteger();

    // Maintenance thread.
    private final List<Place> waiting = new ArrayList<>();
    private boolean closed;

    /**
     * @param doneRevision what has been carried out
     * @param wake is called, on the maintenance thread, when somebody has come: {@link #tell} is to follow
     */
    CompactionWaiters(Executor maintenance, LongSupplier doneRevision, Runnable wake) {
        this.maintenance = maintenance;
        this.doneRevision = doneRevision;
        this.wake = wake;
    }

    /** One client's place. */
    private final class Place implements PhysicalCompaction {
        private final Executor loop;
        private long revision;
        private @Nullable Consumer<@Nullable ApiError> then;
        private boolean left;

        Place(Executor loop) {
            this.loop = loop;
        }

        @Override
        public void await(long until, Consumer<@Nullable ApiError> done) {
            try {
                maintenance.execute(() -> enter(until, done));
            } catch (RejectedExecutionException e) {
                loop.execute(() -> done.accept(ApiError.STOPPED));
            }
        }

        private void enter(long until, Consumer<@Nullable ApiError> done) {
            if (left) {
                return;
            }
            revision = until;
            then = done;
            if (closed) {
                finish(ApiError.STOPPED);
            } else {
                waiting.add(this);
                wake.run();
            }
        }

        @Override
        public void leave() {
            try {
                maintenance.execute(() -> {
                    if (!left) {
                        left = true;
                        waiting.remove(this);
                        places.decrementAndGet();
                    }
                });
            } catch (RejectedExecutionException e) {
                // Everything ends, all places with it.
                return;
            }
        }

        private void finish(@Nullable ApiError error) {
            left = true;
            places.decrementAndGet();
            Consumer<@Nullable ApiError> callback = then;
            if (callback != null) {
                loop.execute(() -> callback.accept(error));
            }
        }
    }

    /** A place for a client, null if all are taken. */
    @Nullable
    PhysicalCompaction take(Executor loop) {
        if (places.incrementAndGet() > MOST) {
            places.decrementAndGet();
            return null;
        }
        return new Place(loop);
    }

    /** Whether somebody waits for what has been carried out. Maintenance thread. */
    boolean isAnyServed() {
        long done = doneRevision.getAsLong();
        return waiting.stream().anyMatch(place -> place.revision <= done);
    }

    /** What has been carried out is durable. Maintenance thread. */
    void tell(long durableRevision) {
        for (Iterator<Place> each = waiting.iterator(); each.hasNext(); ) {
            Place place = each.next();
            if (place.revision <= durableRevision) {
                each.remove();
                place.finish(null);
            }
        }
    }

    /** Nothing is carried out any more. Maintenance thread. */
    void close() {
        closed = true;
        waiting.forEach(place -> place.finish(ApiError.STOPPED));
        waiting.clear();
    }
}

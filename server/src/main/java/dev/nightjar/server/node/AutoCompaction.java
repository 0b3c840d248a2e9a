/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.node;

import dev.nightjar.core.apply.ApiError;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;

/** Compacts by itself, on the leader, in one of two ways. Owned by the ticker. */
abstract sealed class AutoCompaction permits PeriodicCompaction, RevisionCompaction {

    /**
     * What it has to do with.
     *
     * @param ticker where it runs
     * @param nanoTime a clock that only goes forward
     * @param revision the newest revision
     * @param leads whether this member is the leader
     * @param compactor carries a compaction out
     */
    record Surroundings(
            ScheduledExecutorService ticker,
            LongSupplier nanoTime,
            LongSupplier revision,
            BooleanSupplier leads,
            Compactor compactor) {}

    /** Puts a compaction through the log. */
    @FunctionalInterface
    interface Compactor {
        /** @param done is given the outcome on the ticker, null for success */
        void compact(long revision, Consumer<@Nullable ApiError> done);
    }

    private static final Logger LOG = LoggerFactory.getLogger(AutoCompaction.class);

    private final String name;
    private final Surroundings surroundings;
    private final long waitNanos;

    /**
     * @param name the mode's, for the log
     * @param waitNanos time between two looks
     */
    AutoCompaction(String name, Surroundings surroundings, long waitNanos) {
        this.name = name;
        this.surroundings = surroundings;
        this.waitNanos = waitNanos;
    }

    /** What these settings ask for, null if nothing. */
    static @Nullable AutoCompaction of(AutoCompactionSettings settings, Surroundings surroundings) {
        if (settings.retention() == 0) {
            return null;
        }
        return switch (settings.mode()) {
            case PERIODIC -> new PeriodicCompaction(surroundings, settings.retention());
            case REVISION -> new RevisionCompaction(surroundings, settings.retention());
        };
    }

    final void start() {
        surroundings.ticker().execute(this::begin);
    }

    private void begin() {
        noteRevision(surroundings.revision().getAsLong());
        sleep();
    }

    @SuppressWarnings("FutureReturnValueIgnored") // ends with the ticker
    private void sleep() {
        try {
            surroundings.ticker().schedule(this::wake, waitNanos, TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            // The member ends, and this with it.
            return;
        }
    }

    private void wake() {
        long revision = surroundings.leads().getAsBoolean() ? due(nanoTime()) : 0;
        if (revision == 0) {
            begin();
            return;
        }
        long startNanos = nanoTime();
        line(LOG.atInfo(), revision).log("starting auto {} compaction", name);
        surroundings.compactor().compact(revision, error -> {
            ended(revision, error == ApiError.COMPACTED ? null : error, startNanos);
            begin();
        });
    }

    private void ended(long revision, @Nullable ApiError error, long startNanos) {
        if (error == null) {
            long nowNanos = nanoTime();
            completed(revision, nowNanos);
            line(LOG.atInfo(), revision)
                    .addKeyValue("took", Duration.ofNanos(nowNanos - startNanos))
                    .log("completed auto {} compaction", name);
        } else {
            line(LOG.atWarn(), revision)
                    .addKeyValue("retry-interval", Duration.ofNanos(waitNanos))
                    .addKeyValue("error", error.text())
                    .log("failed auto {} compaction", name);
        }
    }

    private LoggingEventBuilder line(LoggingEventBuilder line, long revision) {
        return addRetention(line.addKeyValue("revision", revision));
    }

    final long nanoTime() {
        return surroundings.nanoTime().getAsLong();
    }

    final long currentRevision() {
        return surroundings.revision().getAsLong();
    }

    /** A turn begins at this revision. */
    abstract void noteRevision(long revision);

    /** The revision to compact to now, 0 for none. */
    abstract long due(long nowNanos);

    /** History up to here is compacted. */
    abstract void completed(long revision, long nowNanos);

    /** Says in a line of the log what is to be kept. */
    abstract LoggingEventBuilder addRetention(LoggingEventBuilder line);
}

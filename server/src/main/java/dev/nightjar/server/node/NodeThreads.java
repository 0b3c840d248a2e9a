/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.node;

import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** The threads of a member besides its loops and those of the log. Closed by whoever started the node. */
final class NodeThreads implements AutoCloseable {
    /** Long reads at a time: they are page faults and copies, so more would only take the processor from the loops. */
    static final int READERS = 2;

    /** Long reads that wait; one more is refused, as nobody waits that long for an answer. */
    static final int QUEUED_READS = 10_000;

    /** Scans of the history at a time; each loop has at most one waiting, so that their queue is short. */
    private static final int SCANS = 2;

    /** Scrapes that wait: some scrapers at short intervals; who finds the queue full asks again soon anyway. */
    static final int QUEUED_SCRAPES = 16;

    /** Hashes that wait: each reads the whole history, so nobody waits for more. */
    static final int QUEUED_HASHES = 64;

    private static final long STOP_SECONDS = 10;

    private final ExecutorService readers;
    private final ExecutorService history;
    private final ExecutorService scrapes;
    private final ExecutorService hashes;
    private final ScheduledExecutorService maintenance;
    private final ScheduledExecutorService ticker;

    NodeThreads() {
        this.readers = bounded(READERS, QUEUED_READS, "nightjar-reader");
        this.scrapes = bounded(1, QUEUED_SCRAPES, "nightjar-scrape");
        this.hashes = bounded(1, QUEUED_HASHES, "nightjar-hash");
        this.history = Executors.newFixedThreadPool(SCANS, named("nightjar-history"));
        this.maintenance = Executors.newSingleThreadScheduledExecutor(named("nightjar-maintenance"));
        this.ticker = Executors.newSingleThreadScheduledExecutor(named("nightjar-ticker"));
    }

    /** Long reads of clients; refuses when too many wait. */
    ExecutorService readers() {
        return readers;
    }

    /** Scans for watchers that are behind: apart from the clients' reads, which may fill their own queue. */
    ExecutorService history() {
        return history;
    }

    /** Collects the metrics: apart from the clients' reads, so that a busy server can still be looked at. */
    ExecutorService scrapes() {
        return scrapes;
    }

    /** Digests of the history, one at a time and apart from the clients' reads, as each reads everything. */
    ExecutorService hashes() {
        return hashes;
    }

    /** Compaction and syncs of the store. */
    ScheduledExecutorService maintenance() {
        return maintenance;
    }

    /** Timers; their tasks are short. */
    ScheduledExecutorService ticker() {
        return ticker;
    }

    /** Runs a short task again and again on the ticker. */
    @SuppressWarnings("FutureReturnValueIgnored") // ends with the ticker; the task handles its own failures
    void every(long millis, Runnable task) {
        ticker.scheduleWithFixedDelay(task, millis, millis, TimeUnit.MILLISECONDS);
    }

    private static ExecutorService bounded(int threads, int queued, String name) {
        return new ThreadPoolExecutor(
                threads,
                threads,
                0,
                TimeUnit.SECONDS,
                new ArrayBlockingQueue<>(queued),
                named(name),
                new ThreadPoolExecutor.AbortPolicy());
    }

    private static ThreadFactory named(String name) {
        AtomicInteger number = new AtomicInteger();
        return task -> {
            Thread thread = new Thread(task, name + "-" + number.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        };
    }

    /** Stops all threads; what is running ends first. */
    @Override
    public void close() {
        List<ExecutorService> all = List.of(ticker, maintenance, readers, history, scrapes, hashes);
        for (ExecutorService executor : all) {
            executor.shutdown();
        }
        try {
            for (ExecutorService executor : all) {
                if (!executor.awaitTermination(STOP_SECONDS, TimeUnit.SECONDS)) {
                    executor.shutdownNow();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}

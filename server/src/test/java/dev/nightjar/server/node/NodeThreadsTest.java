/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
final class NodeThreadsTest {

    @Test
    void too_many_long_reads_are_refused_and_scans_for_watchers_go_on() throws Exception {
        try (NodeThreads threads = new NodeThreads()) {
            CountDownLatch release = new CountDownLatch(1);
            int accepted = fill(threads.readers(), release);
            assertThat(accepted).isEqualTo(NodeThreads.READERS + NodeThreads.QUEUED_READS);
            CompletableFuture<String> scanned = new CompletableFuture<>();
            threads.history()
                    .execute(() -> scanned.complete(Thread.currentThread().getName()));
            assertThat(scanned.get()).startsWith("nightjar-history");
            release.countDown();
        }
    }

    @Test
    void scrapes_go_on_while_long_reads_wait_and_are_bounded_themselves() throws Exception {
        try (NodeThreads threads = new NodeThreads()) {
            CountDownLatch release = new CountDownLatch(1);
            fill(threads.readers(), release);
            CompletableFuture<String> scraped = new CompletableFuture<>();
            threads.scrapes()
                    .execute(() -> scraped.complete(Thread.currentThread().getName()));
            assertThat(scraped.get()).startsWith("nightjar-scrape");
            assertThat(fill(threads.scrapes(), release))
                    .isBetween(NodeThreads.QUEUED_SCRAPES, NodeThreads.QUEUED_SCRAPES + 1);
            release.countDown();
        }
    }

    @Test
    void hashes_take_no_reader_and_are_bounded_themselves() throws Exception {
        try (NodeThreads threads = new NodeThreads()) {
            CountDownLatch release = new CountDownLatch(1);
            assertThat(fill(threads.hashes(), release))
                    .isBetween(NodeThreads.QUEUED_HASHES, NodeThreads.QUEUED_HASHES + 1);
            CompletableFuture<String> read = new CompletableFuture<>();
            threads.readers().execute(() -> read.complete(Thread.currentThread().getName()));
            assertThat(read.get()).startsWith("nightjar-reader");
            release.countDown();
        }
    }

    private static int fill(ExecutorService readers, CountDownLatch release) {
        for (int accepted = 0; ; accepted++) {
            try {
                readers.execute(() -> awaitIt(release));
            } catch (RejectedExecutionException e) {
                return accepted;
            }
        }
    }

    private static void awaitIt(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void after_the_end_nothing_is_taken() {
        NodeThreads threads = new NodeThreads();
        threads.close();
        assertThatThrownBy(() -> threads.readers().execute(() -> {})).isInstanceOf(RejectedExecutionException.class);
        assertThat(threads.readers().isTerminated()).isTrue();
        assertThat(threads.history().isTerminated()).isTrue();
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nightjar.consensus.Proposal;
import dev.nightjar.consensus.ProposalFailure;
import dev.nightjar.core.apply.AnswerBudget;
import dev.nightjar.core.apply.ApiError;
import dev.nightjar.core.apply.CommandCodec;
import dev.nightjar.core.apply.CommandType;
import dev.nightjar.core.apply.Result;
import dev.nightjar.server.node.HeldConsensus.Held;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class ProposalBatcherTest {
    private static final long SECOND = 1_000_000_000L;

    private final ManualLoop loop = new ManualLoop();
    private final HeldConsensus consensus = new HeldConsensus();
    private long nowNanos;
    private int fullFromBytes = Integer.MAX_VALUE;
    private final ProposalBatcher batcher =
            new ProposalBatcher(consensus, () -> nowNanos, write -> write.body().length >= fullFromBytes);
    private final List<Result> outcomes = new ArrayList<>();

    private void submit(int bodyBytes, Executor where) {
        batcher.submit(new PendingWrite(CommandType.PUT, new byte[bodyBytes], where) {
            @Override
            protected void complete(Result result) {
                outcomes.add(result);
            }
        });
    }

    private void submit(int count) {
        for (int i = 0; i < count; i++) {
            submit(10, loop);
        }
        loop.run();
    }

    private static Result refused(ApiError error) {
        return new Result.Failed(error);
    }

    @Test
    void writes_of_one_turn_share_an_entry() {
        submit(3);
        assertThat(consensus.held).hasSize(1);
        assertThat(consensus.held.getFirst().batch().writes()).hasSize(3);
    }

    @Test
    void writes_that_come_while_an_entry_is_in_flight_leave_together_with_the_next() {
        submit(1);
        submit(2);
        submit(3);
        assertThat(consensus.held).hasSize(1);
        consensus.takeFirst().batch().applied();
        assertThat(consensus.takeFirst().batch().writes()).hasSize(5);
    }

    @Test
    void an_entry_holds_at_most_two_hundred_writes() {
        submit(ProposalBatcher.MAX_BATCH_WRITES + 1);
        assertThat(consensus.held.getFirst().batch().writes()).hasSize(ProposalBatcher.MAX_BATCH_WRITES);
    }

    @Test
    void an_entry_holds_at_most_64_kibibytes_unless_one_write_is_larger() {
        submit(ProposalBatcher.MAX_BATCH_BYTES * 2, loop);
        submit(40_000, loop);
        submit(40_000, loop);
        loop.run();
        Held first = consensus.takeFirst();
        assertThat(first.batch().writes()).hasSize(1);
        assertThat(first.entry().remaining())
                .isEqualTo(CommandCodec.ENTRY_HEADER_BYTES
                        + CommandCodec.COMMAND_HEADER_BYTES
                        + ProposalBatcher.MAX_BATCH_BYTES * 2);
        first.batch().applied();
        assertThat(consensus.takeFirst().batch().writes()).hasSize(1);
    }

    @Test
    void more_entries_are_in_flight_when_more_than_a_full_one_waits_but_at_most_four() {
        submit(ProposalBatcher.MAX_BATCH_WRITES * 10);
        assertThat(consensus.held).hasSize(ProposalBatcher.MAX_DEPTH);
    }

    @Test
    void what_waits_when_the_disk_fills_is_refused_unless_there_is_room_for_it() {
        submit(1);
        submit(10, loop);
        submit(20, loop);
        submit(10, loop);
        loop.run();
        fullFromBytes = 20;
        consensus.takeFirst().batch().applied();
        loop.run();
        assertThat(outcomes).containsExactly(refused(ApiError.NO_SPACE));
        assertThat(consensus.takeFirst().batch().writes()).hasSize(2);
        assertThat(batcher.pending()).isEqualTo(2);
    }

    @Test
    void a_full_queue_refuses() {
        submit(ProposalBatcher.MAX_PENDING);
        assertThat(outcomes).isEmpty();
        assertThat(batcher.pending()).isEqualTo(ProposalBatcher.MAX_PENDING);
        submit(1);
        assertThat(outcomes).containsExactly(refused(ApiError.TOO_MANY_REQUESTS));
        consensus.takeFirst().batch().applied();
        submit(1);
        assertThat(outcomes).hasSize(1);
    }

    @Test
    void a_queue_full_of_bytes_refuses_until_they_have_left() {
        int size = 1 << 20;
        int most = (int) (ProposalBatcher.MAX_PENDING_BYTES / size);
        for (int i = 0; i < most; i++) {
            submit(size, loop);
        }
        loop.run();
        assertThat(outcomes).isEmpty();
        submit(1, loop);
        assertThat(outcomes).containsExactly(refused(ApiError.TOO_MANY_REQUESTS));
        assertThat(batcher.pending()).isEqualTo(most);
        consensus.takeFirst().batch().applied();
        submit(size, loop);
        assertThat(outcomes).hasSize(1);
        nowNanos += 7 * SECOND;
        batcher.expire(SECOND);
        loop.run();
        submit(size, loop);
        assertThat(outcomes).as("all but those in flight have left").doesNotContain(refused(ApiError.STOPPED));
        assertThat(outcomes.getLast()).isEqualTo(refused(ApiError.TIMEOUT));
    }

    @Test
    void the_largest_write_is_taken_when_nothing_waits() {
        submit(ProposalBatcher.MAX_WRITE_BYTES, loop);
        loop.run();
        assertThat(outcomes).isEmpty();
        assertThat(consensus.held).hasSize(1);
    }

    @Test
    void a_failed_entry_fails_its_writes_and_the_next_one_leaves() {
        submit(2);
        submit(1);
        consensus.takeFirst().batch().failed(ProposalFailure.LEADERSHIP_LOST);
        loop.run();
        assertThat(outcomes)
                .containsExactly(refused(ApiError.TIMEOUT_LEADER_FAILED), refused(ApiError.TIMEOUT_LEADER_FAILED));
        assertThat(consensus.held).hasSize(1);
    }

    @Test
    void a_write_that_waits_too_long_is_answered_once() {
        submit(1);
        nowNanos += 7 * SECOND;
        batcher.expire(7 * SECOND);
        loop.run();
        assertThat(outcomes).isEmpty();
        nowNanos += 1;
        batcher.expire(7 * SECOND);
        batcher.expire(7 * SECOND);
        loop.run();
        assertThat(outcomes).containsExactly(refused(ApiError.TIMEOUT));
        Completions late = new Completions(new AnswerBudget(0));
        Held held = consensus.takeFirst();
        late.add(held.batch().writes().getFirst(), new Result.Put(2, null));
        late.dispatch();
        held.batch().applied();
        loop.run();
        assertThat(outcomes).hasSize(1);
        assertThat(batcher.pending()).isZero();
    }

    @Test
    void closing_refuses_what_waits_and_what_comes() {
        submit(1);
        submit(1);
        batcher.close();
        loop.run();
        assertThat(outcomes).containsExactly(refused(ApiError.STOPPED));
        submit(1);
        assertThat(outcomes).hasSize(2);
    }

    @Test
    void each_loop_gets_one_task_for_a_batch() {
        ManualLoop other = new ManualLoop();
        submit(10, loop);
        submit(10, other);
        submit(10, loop);
        loop.run();
        other.run();
        Completions completions = new Completions(new AnswerBudget(0));
        for (PendingWrite write : consensus.takeFirst().batch().writes()) {
            completions.add(write, new Result.Put(2, null));
        }
        completions.dispatch();
        assertThat(loop.tasks()).isEqualTo(1);
        assertThat(other.tasks()).isEqualTo(1);
        loop.run();
        assertThat(outcomes).hasSize(2);
    }

    @Test
    void a_write_that_waits_too_long_behind_a_stuck_entry_is_answered_and_leaves_the_queue() {
        submit(1);
        submit(1);
        nowNanos += 3 * SECOND;
        submit(1);
        nowNanos += 4 * SECOND + 1;
        batcher.expire(7 * SECOND);
        loop.run();
        assertThat(outcomes).containsExactly(refused(ApiError.TIMEOUT), refused(ApiError.TIMEOUT));
        consensus.takeFirst().batch().applied();
        assertThat(consensus.takeFirst().batch().writes()).hasSize(1);
        assertThat(batcher.pending()).isEqualTo(1);
    }

    @Test
    void a_write_that_the_log_cannot_take_is_refused() {
        submit(ProposalBatcher.MAX_WRITE_BYTES + 1, loop);
        loop.run();
        assertThat(outcomes).containsExactly(refused(ApiError.REQUEST_TOO_LARGE));
        assertThat(batcher.pending()).isZero();
    }

    @Test
    void a_write_whose_answer_fails_does_not_cost_the_others_theirs() {
        batcher.submit(new PendingWrite(CommandType.PUT, new byte[1], loop) {
            @Override
            protected void complete(Result result) {
                throw new IllegalStateException("cannot be encoded");
            }
        });
        submit(1);
        consensus.takeFirst().batch().failed(ProposalFailure.STOPPED);
        loop.run();
        assertThat(outcomes).containsExactly(refused(ApiError.STOPPED));
    }

    /** Writers on several threads, a log that answers on another, and an end in the middle of it. */
    @Test
    void every_write_is_answered_exactly_once_whatever_threads_do() throws Exception {
        ExecutorService log = Executors.newSingleThreadExecutor();
        ThreadedConsensus threaded = new ThreadedConsensus(log);
        ProposalBatcher shared = new ProposalBatcher(threaded, System::nanoTime, write -> false);
        int writers = 3;
        int writes = 3000;
        AtomicInteger answers = new AtomicInteger();
        List<ExecutorService> loops = new ArrayList<>();
        CountDownLatch submitted = new CountDownLatch(writers);
        CountDownLatch halfway = new CountDownLatch(writers);
        for (int i = 0; i < writers; i++) {
            ExecutorService own = Executors.newSingleThreadExecutor();
            loops.add(own);
            for (int j = 0; j < writes; j++) {
                int number = j;
                own.execute(() -> {
                    shared.submit(new PendingWrite(CommandType.PUT, new byte[100], own) {
                        @Override
                        protected void complete(Result result) {
                            answers.incrementAndGet();
                        }
                    });
                    if (number == writes / 2) {
                        halfway.countDown();
                    } else if (number == writes - 1) {
                        submitted.countDown();
                    }
                });
            }
        }
        halfway.await();
        shared.expire(0);
        shared.close();
        submitted.await();
        while (shared.pending() > 0) {
            Thread.onSpinWait();
        }
        log.shutdown();
        assertThat(log.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
        for (ExecutorService own : loops) {
            own.shutdown();
            assertThat(own.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
        }
        assertThat(answers).hasValue(writers * writes);
    }

    /** A log that carries every entry out on its own thread. */
    private static final class ThreadedConsensus extends HeldConsensus {
        private final Executor log;

        ThreadedConsensus(Executor log) {
            this.log = log;
        }

        @Override
        public void propose(ByteBuffer command, Proposal proposal) {
            ProposalBatch batch = (ProposalBatch) proposal;
            log.execute(() -> {
                Completions completions = new Completions(new AnswerBudget(0));
                batch.writes().forEach(write -> completions.add(write, new Result.Put(2, null)));
                completions.dispatch();
                batch.applied();
            });
        }
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.consensus.jraft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.nightjar.consensus.Consensus;
import dev.nightjar.consensus.ConsensusConfig;
import dev.nightjar.consensus.ConsensusException;
import dev.nightjar.consensus.LogCorruptException;
import dev.nightjar.consensus.MemberId;
import dev.nightjar.consensus.ProposalFailure;
import dev.nightjar.consensus.RecordingStateMachine;
import dev.nightjar.consensus.Transport;
import dev.nightjar.consensus.log.HostileFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A member on failing disks, with a failing state machine, under too much load, and closed in the middle of it all. */
class FailStopTest {
    private static final MemberId SELF = new MemberId(7);
    private static final Set<ProposalFailure> NOT_WRITTEN =
            EnumSet.of(ProposalFailure.NOT_LEADER, ProposalFailure.OVERLOADED);

    @TempDir
    Path directory;

    private final HostileFiles logFiles = new HostileFiles();
    private final HostileFiles voteFiles = new HostileFiles();

    private ConsensusConfig config() {
        return ConsensusConfig.of(
                SELF, List.of(SELF), directory.resolve("wal"), directory.resolve("snap"), System::nanoTime);
    }

    private Consensus start(RecordingStateMachine machine, HostileFiles log, HostileFiles vote) throws IOException {
        return JraftConsensus.start(config(), machine, Transport.none(), log, vote);
    }

    private static ProposalFailure failureOf(CompletableFuture<?> future) throws Exception {
        try {
            future.get(60, TimeUnit.SECONDS);
            throw new AssertionError("did not fail");
        } catch (ExecutionException e) {
            if (e.getCause() instanceof ConsensusException cause) {
                return cause.failure();
            }
            throw e;
        }
    }

    @ParameterizedTest
    @EnumSource(HostileFiles.Fault.class)
    void a_disk_error_stops_the_member_and_loses_nothing_that_was_acknowledged(HostileFiles.Fault fault)
            throws Exception {
        RecordingStateMachine machine = new RecordingStateMachine();
        try (Consensus consensus = start(machine, logFiles, voteFiles)) {
            machine.awaitLeading();
            for (int i = 0; i < 10; i++) {
                RecordingStateMachine.propose(consensus, "c" + i).applied().get(60, TimeUnit.SECONDS);
            }
            logFiles.failNext(fault);
            CompletableFuture<Long> hit =
                    RecordingStateMachine.propose(consensus, "hit").applied();
            assertThat(failureOf(hit)).isIn(ProposalFailure.STOPPED, ProposalFailure.LEADERSHIP_LOST);
            machine.awaitFailure();
            assertThat(machine.failure()).isInstanceOf(IOException.class);
            assertThat(failureOf(
                            RecordingStateMachine.propose(consensus, "late").applied()))
                    .isEqualTo(ProposalFailure.STOPPED);
            assertThat(failureOf(consensus.readBarrier())).isEqualTo(ProposalFailure.STOPPED);
            assertThat(failureOf(consensus.snapshot())).isEqualTo(ProposalFailure.STOPPED);
            assertThat(failureOf(consensus.transferLeadership(SELF))).isEqualTo(ProposalFailure.STOPPED);
            assertThat(consensus.status().leading()).isFalse();
        }
        RecordingStateMachine after = new RecordingStateMachine();
        try (Consensus consensus = start(after, logFiles.afterPowerCut(new Random(1)), voteFiles.afterKill())) {
            after.awaitLeading();
            assertThat(consensus.status().leading()).isTrue();
            assertThat(after.commands()).startsWith("c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8", "c9");
        }
    }

    @Test
    void a_vote_that_cannot_be_written_stops_the_member() throws Exception {
        RecordingStateMachine machine = new RecordingStateMachine();
        voteFiles.failNext(HostileFiles.Fault.ERROR);
        try (Consensus consensus = start(machine, logFiles, voteFiles)) {
            machine.awaitFailure();
            assertThat(machine.failure()).isInstanceOf(IOException.class);
            assertThat(consensus.status().leading()).isFalse();
            assertThat(machine.changes()).noneMatch(status -> status.leading());
        }
    }

    @Test
    void a_damaged_vote_refuses_to_start() throws Exception {
        RecordingStateMachine machine = new RecordingStateMachine();
        try (Consensus consensus = start(machine, logFiles, voteFiles)) {
            machine.awaitLeading();
            assertThat(consensus.status().term()).isEqualTo(1);
        }
        byte[] vote = voteFiles.content("vote");
        vote[vote.length - 1] ^= 1;
        HostileFiles damaged = voteFiles.afterKill();
        damaged.damage("vote", vote);
        assertThatThrownBy(() -> start(new RecordingStateMachine(), logFiles.afterKill(), damaged))
                .isInstanceOf(LogCorruptException.class);
    }

    @Test
    void a_damaged_log_refuses_to_start_and_names_the_place() throws Exception {
        RecordingStateMachine machine = new RecordingStateMachine();
        try (Consensus consensus = start(machine, logFiles, voteFiles)) {
            machine.awaitLeading();
            for (int i = 0; i < 10; i++) {
                RecordingStateMachine.propose(consensus, "c" + i).applied().get(60, TimeUnit.SECONDS);
            }
        }
        String segment = logFiles.list().stream()
                .filter(name -> name.startsWith("log-"))
                .findFirst()
                .orElseThrow();
        byte[] content = logFiles.content(segment);
        content[40] ^= 1;
        HostileFiles damaged = logFiles.afterKill();
        damaged.damage(segment, content);
        assertThatThrownBy(() -> start(new RecordingStateMachine(), damaged, voteFiles.afterKill()))
                .isInstanceOf(LogCorruptException.class)
                .hasMessageContaining(segment)
                .hasMessageContaining("offset 32");
    }

    @Test
    void a_state_machine_that_throws_stops_the_member_for_good() throws Exception {
        RecordingStateMachine machine = new RecordingStateMachine() {
            @Override
            public void apply(Entries entries) {
                if (!commands().isEmpty()) {
                    entries.next();
                    throw new IllegalStateException("broken");
                }
                super.apply(entries);
            }
        };
        List<CompletableFuture<Long>> rest = new ArrayList<>();
        try (Consensus consensus = start(machine, logFiles, voteFiles)) {
            machine.awaitLeading();
            RecordingStateMachine.propose(consensus, "good").applied().get(60, TimeUnit.SECONDS);
            CompletableFuture<Long> bad =
                    RecordingStateMachine.propose(consensus, "bad").applied();
            for (int i = 0; i < 20; i++) {
                rest.add(RecordingStateMachine.propose(consensus, "rest").applied());
            }
            machine.awaitFailure();
            assertThat(machine.failure()).hasMessage("broken");
            // It was handed over together with its entry, so it is the state machine's to answer.
            assertThat(bad).isNotDone();
            for (CompletableFuture<Long> future : rest) {
                assertThat(failureOf(future)).isIn(ProposalFailure.STOPPED, ProposalFailure.LEADERSHIP_LOST);
            }
        }
    }

    @Test
    void a_state_machine_that_leaves_entries_behind_stops_the_member() throws Exception {
        RecordingStateMachine machine = new RecordingStateMachine() {
            @Override
            public void apply(Entries entries) {}
        };
        try (Consensus consensus = start(machine, logFiles, voteFiles)) {
            machine.awaitLeading();
            CompletableFuture<Long> proposal =
                    RecordingStateMachine.propose(consensus, "c").applied();
            machine.awaitFailure();
            assertThat(machine.failure()).hasMessage("the state machine left entries behind");
            assertThat(failureOf(proposal)).isEqualTo(ProposalFailure.STOPPED);
        }
    }

    @Test
    void a_state_machine_that_throws_at_a_change_of_leader_stops_the_member() throws Exception {
        RecordingStateMachine machine = new RecordingStateMachine() {
            @Override
            public synchronized void leaderChanged(dev.nightjar.consensus.ConsensusStatus status) {
                throw new IllegalStateException("no such leader");
            }
        };
        try (Consensus consensus = start(machine, logFiles, voteFiles)) {
            machine.awaitFailure();
            assertThat(machine.failure()).hasMessage("no such leader");
            assertThat(failureOf(RecordingStateMachine.propose(consensus, "c").applied()))
                    .isEqualTo(ProposalFailure.STOPPED);
        }
    }

    @Test
    void proposals_beyond_the_limit_are_refused_at_once_and_room_comes_back() throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        RecordingStateMachine machine = new RecordingStateMachine() {
            @Override
            public void apply(Entries entries) {
                try {
                    release.await();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
                super.apply(entries);
            }
        };
        ConsensusConfig config = config().withLimits(new ConsensusConfig.Limits(1 << 20, 100, 4, 300));
        try (Consensus consensus = JraftConsensus.start(config, machine, Transport.none(), logFiles, voteFiles)) {
            machine.awaitLeading();
            List<CompletableFuture<Long>> accepted = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                accepted.add(RecordingStateMachine.propose(consensus, "c" + i).applied());
            }
            for (int i = 0; i < 100; i++) {
                assertThat(failureOf(
                                RecordingStateMachine.propose(consensus, "x").applied()))
                        .isEqualTo(ProposalFailure.OVERLOADED);
            }
            release.countDown();
            for (CompletableFuture<Long> future : accepted) {
                future.get(60, TimeUnit.SECONDS);
            }
            RecordingStateMachine.propose(consensus, "after").applied().get(60, TimeUnit.SECONDS);
            assertThat(machine.commands()).containsExactly("c0", "c1", "c2", "c3", "after");
            assertThatThrownBy(() -> RecordingStateMachine.propose(consensus, "y".repeat(101)))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void the_limit_counts_bytes_too() throws Exception {
        ProposalWindow window = new ProposalWindow(10, 300);
        assertThat(window.tryEnter(100)).isTrue();
        assertThat(window.tryEnter(200)).isTrue();
        assertThat(window.tryEnter(1)).isFalse();
        window.leave(200);
        assertThat(window.tryEnter(1)).isTrue();
        window.leave(1);
        assertThat(window.awaitEmpty(java.time.Duration.ofMillis(20))).isFalse();
        window.leave(100);
        assertThat(window.awaitEmpty(java.time.Duration.ofMillis(20))).isTrue();
    }

    @Test
    void close_in_the_middle_of_a_storm_answers_every_proposal_once() throws Exception {
        for (int round = 0; round < 5; round++) {
            RecordingStateMachine machine = new RecordingStateMachine();
            Consensus consensus = start(machine, new HostileFiles(), new HostileFiles());
            machine.awaitLeading();
            List<CompletableFuture<Long>> proposals = new ArrayList<>();
            CompletableFuture<Void> storm = CompletableFuture.runAsync(() -> {
                for (int i = 0; i < 20_000; i++) {
                    proposals.add(
                            RecordingStateMachine.propose(consensus, "c" + i).applied());
                }
            });
            machine.awaitCommands(500);
            consensus.close();
            Set<String> applied = new HashSet<>(machine.commands());
            storm.get(60, TimeUnit.SECONDS);
            assertThat(machine.commands()).hasSameSizeAs(applied);
            for (int i = 0; i < proposals.size(); i++) {
                CompletableFuture<Long> proposal = proposals.get(i);
                proposal.exceptionally(_ -> null).get(60, TimeUnit.SECONDS);
                if (!proposal.isCompletedExceptionally()) {
                    assertThat(applied).contains("c" + i);
                } else if (NOT_WRITTEN.contains(failureOf(proposal))) {
                    assertThat(applied).doesNotContain("c" + i);
                }
            }
            consensus.close();
        }
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.consensus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.nightjar.consensus.jraft.Disks;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClusterTest {
    @TempDir
    Path directory;

    /** Proposes and waits for it. */
    private static void write(TestCluster cluster, MemberId leader, String command) throws Exception {
        RecordingStateMachine.propose(cluster.consensus(leader), command)
                .applied()
                .get(60, TimeUnit.SECONDS);
    }

    private static List<String> writeMany(TestCluster cluster, MemberId leader, String prefix, int count)
            throws Exception {
        List<String> commands = new ArrayList<>();
        List<CompletableFuture<Long>> futures = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            commands.add(prefix + i);
            futures.add(RecordingStateMachine.propose(cluster.consensus(leader), prefix + i)
                    .applied());
        }
        for (CompletableFuture<Long> future : futures) {
            future.get(60, TimeUnit.SECONDS);
        }
        return commands;
    }

    @Test
    void three_members_elect_one_leader_and_apply_the_same_commands() throws Exception {
        try (TestCluster cluster = new TestCluster(directory, 3)) {
            MemberId leader = cluster.awaitLeader();
            List<String> commands = writeMany(cluster, leader, "c", 200);
            cluster.awaitAgreement(200);
            for (MemberId member : cluster.members()) {
                assertThat(cluster.machine(member).commands()).isEqualTo(commands);
                assertThat(cluster.consensus(member).status().leader()).isEqualTo(leader);
                assertThat(cluster.consensus(member).status().leading()).isEqualTo(member.equals(leader));
            }
            for (MemberId member : cluster.members()) {
                if (!member.equals(leader)) {
                    assertThatThrownBy(() -> write(cluster, member, "x"))
                            .hasRootCauseInstanceOf(ConsensusException.class)
                            .rootCause()
                            .satisfies(e -> assertThat(((ConsensusException) e).failure())
                                    .isEqualTo(ProposalFailure.NOT_LEADER));
                }
            }
        }
    }

    @Test
    void a_leader_that_is_cut_off_is_replaced_and_no_acknowledged_entry_is_lost() throws Exception {
        try (TestCluster cluster = new TestCluster(directory, 3)) {
            MemberId old = cluster.awaitLeader();
            List<String> acknowledged = writeMany(cluster, old, "before", 50);
            cluster.network.isolate(old);
            RecordingStateMachine.Ticket lost = RecordingStateMachine.propose(cluster.consensus(old), "lost");
            MemberId leader = cluster.awaitLeader(old);
            acknowledged.addAll(writeMany(cluster, leader, "after", 50));
            assertThatThrownBy(() -> lost.applied().get(60, TimeUnit.SECONDS))
                    .hasCauseInstanceOf(ConsensusException.class)
                    .cause()
                    .satisfies(e ->
                            assertThat(((ConsensusException) e).failure()).isEqualTo(ProposalFailure.LEADERSHIP_LOST));
            cluster.network.heal();
            cluster.awaitAgreement(100);
            for (MemberId member : cluster.members()) {
                assertThat(cluster.machine(member).commands()).isEqualTo(acknowledged);
            }
        }
    }

    @Test
    void a_leader_that_is_cut_off_confirms_no_read() throws Exception {
        try (TestCluster cluster = new TestCluster(directory, 3)) {
            MemberId old = cluster.awaitLeader();
            write(cluster, old, "c");
            cluster.consensus(old).readBarrier().get(60, TimeUnit.SECONDS);
            cluster.network.isolate(old);
            List<CompletableFuture<Long>> barriers = new ArrayList<>();
            while (cluster.consensus(old).status().leading()) {
                barriers.add(cluster.consensus(old).readBarrier());
                cluster.changes.awaitAny(Duration.ofMillis(5));
            }
            MemberId leader = cluster.awaitLeader(old);
            write(cluster, leader, "newer");
            cluster.network.heal();
            int failed = 0;
            for (CompletableFuture<Long> barrier : barriers) {
                try {
                    // A round that began before the cut was healed may end after it, but then it covers the newer
                    // write.
                    long index = barrier.get(60, TimeUnit.SECONDS);
                    assertThat(cluster.machine(old).commands()).contains("newer");
                    assertThat(index).isPositive();
                } catch (ExecutionException e) {
                    assertThat(e).hasCauseInstanceOf(ConsensusException.class);
                    failed++;
                }
            }
            assertThat(failed).isPositive();
        }
    }

    @Test
    void a_leader_that_hears_nobody_confirms_no_read_although_it_is_heard() throws Exception {
        try (TestCluster cluster = new TestCluster(directory, 3)) {
            MemberId old = cluster.awaitLeader();
            write(cluster, old, "c");
            for (MemberId other : cluster.members()) {
                cluster.network.cut(other, old);
            }
            assertThatThrownBy(() -> cluster.consensus(old).readBarrier().get(60, TimeUnit.SECONDS))
                    .hasCauseInstanceOf(ConsensusException.class);
            MemberId leader = cluster.awaitLeader(old);
            write(cluster, leader, "d");
            cluster.network.heal();
            cluster.awaitAgreement(2);
        }
    }

    @Test
    void a_read_barrier_on_any_member_covers_every_acknowledged_entry() throws Exception {
        try (TestCluster cluster = new TestCluster(directory, 3)) {
            MemberId leader = cluster.awaitLeader();
            for (int i = 0; i < 50; i++) {
                write(cluster, leader, "c" + i);
                for (MemberId member : cluster.members()) {
                    cluster.consensus(member).readBarrier().get(60, TimeUnit.SECONDS);
                    assertThat(cluster.machine(member).commands()).contains("c" + i);
                }
            }
        }
    }

    @Test
    void readers_share_a_barrier() throws Exception {
        try (TestCluster cluster = new TestCluster(directory, 3)) {
            MemberId leader = cluster.awaitLeader();
            write(cluster, leader, "c");
            for (MemberId other : cluster.members()) {
                cluster.network.delay(leader, other, Duration.ofMillis(30));
            }
            long begun = System.nanoTime();
            List<CompletableFuture<Long>> barriers = new ArrayList<>();
            for (int i = 0; i < 500; i++) {
                barriers.add(cluster.consensus(leader).readBarrier());
            }
            for (CompletableFuture<Long> barrier : barriers) {
                barrier.get(60, TimeUnit.SECONDS);
            }
            assertThat(Duration.ofNanos(System.nanoTime() - begun))
                    .as("500 reads, which one by one need 30 ms each")
                    .isLessThan(Duration.ofSeconds(15));
        }
    }

    @Test
    void leadership_is_handed_over() throws Exception {
        try (TestCluster cluster = new TestCluster(directory, 3)) {
            MemberId old = cluster.awaitLeader();
            write(cluster, old, "c");
            cluster.awaitAgreement(1);
            MemberId target = cluster.members().stream()
                    .filter(m -> !m.equals(old))
                    .findFirst()
                    .orElseThrow();
            cluster.consensus(old).transferLeadership(target).get(60, TimeUnit.SECONDS);
            assertThat(cluster.awaitLeader(old)).isEqualTo(target);
            write(cluster, target, "d");
            cluster.awaitAgreement(2);
            assertThatThrownBy(() ->
                            cluster.consensus(old).transferLeadership(target).get(60, TimeUnit.SECONDS))
                    .hasCauseInstanceOf(ConsensusException.class);
        }
    }

    @Test
    void a_follower_that_missed_the_cut_log_gets_a_snapshot() throws Exception {
        try (TestCluster cluster = new TestCluster(directory, 3)) {
            MemberId leader = cluster.awaitLeader();
            writeMany(cluster, leader, "a", 20);
            cluster.awaitAgreement(20);
            List<MemberId> others =
                    cluster.members().stream().filter(m -> !m.equals(leader)).toList();
            MemberId lagging = others.getFirst();
            MemberId other = others.getLast();
            // Not cut off: the engine waits minutes for the answer to a snapshot that it offers into the void.
            cluster.stop(lagging);
            for (int round = 0; round < 3; round++) {
                writeMany(cluster, leader, "b" + round + "-", 100);
                int written = cluster.machine(leader).commands().size();
                cluster.changes.awaitThat(
                        () -> cluster.machine(other).commands().size() == written);
                // Both, as any of them may lead when the lagging one comes back.
                cluster.consensus(leader).snapshot().get(60, TimeUnit.SECONDS);
                cluster.consensus(other).snapshot().get(60, TimeUnit.SECONDS);
            }
            cluster.start(lagging);
            writeMany(cluster, leader, "c", 20);
            cluster.awaitAgreement(340);
            assertThat(cluster.network.fileRequests())
                    .as("led by %s, then by %s", leader, cluster.awaitLeader())
                    .isPositive();
            assertThat(cluster.machine(lagging).snapshotsLoaded()).isPositive();
            cluster.stop(lagging);
            cluster.start(lagging);
            cluster.awaitAgreement(340);
        }
    }

    @Test
    void a_cluster_comes_back_from_its_files() throws Exception {
        List<String> commands;
        Map<MemberId, Disks> disks;
        try (TestCluster cluster = new TestCluster(directory, 3)) {
            disks = cluster.disks;
            MemberId leader = cluster.awaitLeader();
            commands = writeMany(cluster, leader, "a", 100);
            cluster.consensus(leader).snapshot().get(60, TimeUnit.SECONDS);
            commands.addAll(writeMany(cluster, leader, "b", 100));
        }
        try (TestCluster cluster = new TestCluster(directory, 3, disks)) {
            MemberId leader = cluster.awaitLeader();
            commands.addAll(writeMany(cluster, leader, "c", 10));
            cluster.awaitAgreement(210);
            for (MemberId member : cluster.members()) {
                assertThat(cluster.machine(member).commands()).isEqualTo(commands);
            }
        }
    }
}

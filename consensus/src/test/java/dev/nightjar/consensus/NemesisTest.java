/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.consensus;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Three members under random cuts, delays, restarts, power cuts, snapshots and transfers, while clients write and read. In the end all
 * members hold the same commands, each at most once, every acknowledged one among them; and no confirmed read has missed a
 * write that was acknowledged before it began.
 */
class NemesisTest {
    private static final int EVENTS = 30;

    /** Acknowledgements between two disturbances. */
    private static final int MOST_WRITES = 300;

    /** So long at most one disturbance may keep the cluster from getting on before the next comes. */
    private static final Duration STANDSTILL = Duration.ofMillis(500);

    /** So long a client that is refused waits for something to change. */
    private static final Duration PATIENCE = Duration.ofMillis(5);

    /** Writes and reads that must succeed once everything is whole again. */
    private static final int PROGRESS = 100;

    @TempDir
    Path directory;

    private final Set<String> acknowledged = ConcurrentHashMap.newKeySet();
    private final List<String> violations = new ArrayList<>();
    private final AtomicBoolean over = new AtomicBoolean();
    private final AtomicInteger confirmedReads = new AtomicInteger();

    @Test
    @Timeout(value = 15, unit = TimeUnit.MINUTES)
    void whatever_happens_nothing_acknowledged_is_lost_and_no_read_is_stale() throws Exception {
        long seed = Long.getLong("nightjar.seed", System.nanoTime());
        try (TestCluster cluster = TestCluster.hasty(directory, 3)) {
            cluster.awaitLeader();
            List<CompletableFuture<Void>> clients = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                int client = i;
                clients.add(CompletableFuture.runAsync(() -> write(cluster, client)));
                clients.add(CompletableFuture.runAsync(() -> read(cluster, client)));
            }
            Random random = new Random(seed);
            for (int i = 0; i < EVENTS; i++) {
                disturb(cluster, random);
                int more = acknowledged.size() + 1 + random.nextInt(MOST_WRITES);
                cluster.changes.awaitThat(() -> acknowledged.size() >= more, STANDSTILL);
            }
            cluster.network.heal();
            for (MemberId member : cluster.members()) {
                if (!cluster.isRunning(member)) {
                    cluster.start(member);
                }
            }
            int writes = acknowledged.size() + PROGRESS;
            int reads = confirmedReads.get() + PROGRESS;
            cluster.changes.awaitThat(() -> acknowledged.size() >= writes && confirmedReads.get() >= reads);
            over.set(true);
            cluster.changes.happened();
            for (CompletableFuture<Void> client : clients) {
                client.get(60, TimeUnit.SECONDS);
            }
            cluster.awaitLeader();
            cluster.awaitAgreement(acknowledged.size());
            List<String> commands = cluster.machine(new MemberId(1)).commands();
            assertThat(new HashSet<>(commands)).hasSameSizeAs(commands).containsAll(acknowledged);
            assertThat(violations).isEmpty();
        } catch (Throwable e) {
            throw new AssertionError("replay with -Dnightjar.seed=" + seed, e);
        }
    }

    private void write(TestCluster cluster, int client) {
        for (int i = 0; !over.get(); i++) {
            String command = "client" + client + "-" + i;
            Consensus consensus = cluster.running(new MemberId(1 + (client + i) % 3));
            if (consensus == null) {
                cluster.changes.awaitAny(PATIENCE);
                continue;
            }
            boolean done = RecordingStateMachine.propose(consensus, command)
                    .applied()
                    .completeOnTimeout(-1L, 5, TimeUnit.SECONDS)
                    .handle((index, failure) -> failure == null && index > 0)
                    .join();
            if (done) {
                acknowledged.add(command);
                cluster.changes.happened();
            } else {
                cluster.changes.awaitAny(PATIENCE);
            }
        }
    }

    private void read(TestCluster cluster, int client) {
        MemberId member = new MemberId(1 + client);
        while (!over.get()) {
            Consensus consensus = cluster.running(member);
            if (consensus == null) {
                cluster.changes.awaitAny(PATIENCE);
                continue;
            }
            RecordingStateMachine machine = cluster.machine(member);
            Set<String> missing = new HashSet<>(acknowledged);
            boolean confirmed = consensus
                    .readBarrier()
                    .handle((_, failure) -> failure == null)
                    .join();
            missing.removeAll(new HashSet<>(machine.commands()));
            if (confirmed && consensus.equals(cluster.running(member)) && !missing.isEmpty()) {
                synchronized (violations) {
                    violations.add(member + " has confirmed a read without " + missing);
                }
            }
            confirmedReads.addAndGet(confirmed ? 1 : 0);
            cluster.changes.awaitAny(PATIENCE);
        }
    }

    private static void disturb(TestCluster cluster, Random random) throws Exception {
        List<MemberId> members = cluster.members();
        MemberId one = members.get(random.nextInt(3));
        MemberId other = members.get(random.nextInt(3));
        Consensus consensus = cluster.running(one);
        switch (random.nextInt(8)) {
            case 0 -> cluster.network.isolate(one);
            case 1 -> cluster.network.cut(one, other);
            case 2 -> cluster.network.delay(one, other, Duration.ofMillis(random.nextInt(200)));
            case 3 -> {
                if (consensus != null && random.nextBoolean()) {
                    cluster.cutPower(one, random);
                } else if (consensus != null) {
                    cluster.stop(one);
                } else {
                    cluster.start(one);
                }
            }
            case 4 -> {
                if (consensus != null) {
                    var _ = consensus.snapshot();
                }
            }
            case 5 -> {
                if (consensus != null) {
                    var _ = consensus.transferLeadership(other);
                }
            }
            default -> {
                cluster.network.heal();
                if (consensus == null) {
                    cluster.start(one);
                }
            }
        }
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.consensus;

import dev.nightjar.consensus.jraft.Disks;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/** Members in one process, numbered from 1. */
final class TestCluster implements AutoCloseable {
    /** A leader keeps its office although the machine stands still for seconds: most tests count on that. */
    private static final ConsensusConfig.Timing CALM =
            new ConsensusConfig.Timing(Duration.ofSeconds(4), Duration.ofMillis(200));

    private static final ConsensusConfig.Timing HASTY =
            new ConsensusConfig.Timing(Duration.ofMillis(800), Duration.ofMillis(80));

    final LoopbackNetwork network = new LoopbackNetwork();
    final Changes changes = new Changes();
    private final Path directory;
    private final ConsensusConfig.Timing timing;
    private final List<MemberId> voters;
    private final Map<MemberId, Consensus> running = new ConcurrentSkipListMap<>();
    final Map<MemberId, Disks> disks;
    private final Map<MemberId, RecordingStateMachine> machines = new ConcurrentSkipListMap<>();

    TestCluster(Path directory, int size) throws IOException {
        this(directory, size, new ConcurrentSkipListMap<>());
    }

    /** A cluster that comes back on its disks. */
    TestCluster(Path directory, int size, Map<MemberId, Disks> disks) throws IOException {
        this(directory, size, disks, CALM);
    }

    /** A cluster that soon has another leader, for tests that do not mind when it has one without need. */
    static TestCluster hasty(Path directory, int size) throws IOException {
        return new TestCluster(directory, size, new ConcurrentSkipListMap<>(), HASTY);
    }

    private TestCluster(Path directory, int size, Map<MemberId, Disks> disks, ConsensusConfig.Timing timing)
            throws IOException {
        this.disks = disks;
        this.directory = directory;
        this.timing = timing;
        this.voters = LongStream.rangeClosed(1, size).mapToObj(MemberId::new).toList();
        for (MemberId member : voters) {
            start(member);
        }
    }

    /** Starts a member with an empty state machine. */
    void start(MemberId member) throws IOException {
        start(member, voters);
    }

    /** Starts a member that knows nobody and waits to be taken in. */
    void startJoiner(MemberId member) throws IOException {
        start(member, List.of());
    }

    private void start(MemberId member, List<MemberId> initialVoters) throws IOException {
        Path home = directory.resolve(member.toString());
        RecordingStateMachine machine = new RecordingStateMachine(changes::happened);
        ConsensusConfig config = ConsensusConfig.of(
                        member, initialVoters, home.resolve("wal"), home.resolve("snap"), System::nanoTime)
                .withTiming(timing)
                .withLimits(new ConsensusConfig.Limits(1 << 20, 1 << 20, 1024, 16 << 20));
        machines.put(member, machine);
        Disks disk = disks.computeIfAbsent(member, id -> new Disks());
        running.put(member, disk.start(config, machine, network.transport(member)));
        changes.happened();
    }

    /** Stops a member as a power cut does: what it has not synced is gone, or half gone. */
    void cutPower(MemberId member, Random random) {
        Disks disk = disks.get(member);
        if (disk != null) {
            disk.cutPower();
            stop(member);
            disk.restorePower(random);
        }
    }

    void stop(MemberId member) {
        Consensus consensus = running.remove(member);
        if (consensus != null) {
            consensus.close();
        }
    }

    List<MemberId> members() {
        return voters;
    }

    boolean isRunning(MemberId member) {
        return running.containsKey(member);
    }

    /** The member, or null if it does not run. */
    @Nullable
    Consensus running(MemberId member) {
        return running.get(member);
    }

    Consensus consensus(MemberId member) {
        Consensus consensus = running.get(member);
        if (consensus == null) {
            throw new IllegalStateException(member + " does not run");
        }
        return consensus;
    }

    RecordingStateMachine machine(MemberId member) {
        RecordingStateMachine machine = machines.get(member);
        if (machine == null) {
            throw new IllegalStateException(member + " never ran");
        }
        return machine;
    }

    /** Waits for a member that leads, other than those that do not count. */
    MemberId awaitLeader(MemberId... besides) {
        return changes.await(() -> running.entrySet().stream()
                .filter(entry -> !List.of(besides).contains(entry.getKey())
                        && entry.getValue().status().leading())
                .map(Map.Entry::getKey)
                .findFirst());
    }

    /** Waits until all running members have the same commands, {@code count} at least. */
    void awaitAgreement(int count) {
        changes.awaitThat(() -> {
            List<List<String>> states = running.keySet().stream()
                    .map(member -> machine(member).commands())
                    .distinct()
                    .toList();
            return states.size() == 1 && states.getFirst().size() >= count;
        });
    }

    @Override
    public void close() {
        for (MemberId member : List.copyOf(running.keySet())) {
            stop(member);
        }
        network.close();
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.consensus;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

/**
 * How a member takes part.
 *
 * @param self this member
 * @param initialVoters the voters of a new cluster, with this member if it is one; empty for a member that joins an existing
 *     one. Looked at only if there is neither log nor snapshot.
 * @param logDirectory holds the log; created if missing
 * @param snapshotDirectory holds snapshots and the member's vote; created if missing
 * @param timing how soon a dead leader is noticed
 * @param limits sizes
 * @param fsync whether to make entries and votes durable before they count; false loses acknowledged entries in a power cut
 * @param instruments clock and observer
 */
public record ConsensusConfig(
        MemberId self,
        List<MemberId> initialVoters,
        Path logDirectory,
        Path snapshotDirectory,
        Timing timing,
        Limits limits,
        boolean fsync,
        Instruments instruments) {

    public ConsensusConfig {
        initialVoters = List.copyOf(initialVoters);
    }

    /** A durable member with default sizes and a second until an election. */
    public static ConsensusConfig of(
            MemberId self,
            List<MemberId> initialVoters,
            Path logDirectory,
            Path snapshotDirectory,
            LongSupplier ticker) {
        return new ConsensusConfig(
                self,
                initialVoters,
                logDirectory,
                snapshotDirectory,
                Timing.DEFAULT,
                Limits.DEFAULT,
                true,
                new Instruments(ticker, LogObserver.NONE, failure -> false));
    }

    /** The same with another timing. */
    public ConsensusConfig withTiming(Timing newTiming) {
        return new ConsensusConfig(
                self, initialVoters, logDirectory, snapshotDirectory, newTiming, limits, fsync, instruments);
    }

    /** The same with other limits. */
    public ConsensusConfig withLimits(Limits newLimits) {
        return new ConsensusConfig(
                self, initialVoters, logDirectory, snapshotDirectory, timing, newLimits, fsync, instruments);
    }

    /**
     * How soon a dead leader is noticed.
     *
     * @param election a follower that has not heard of a leader for this long (and up to twice as long) calls an election
     * @param heartbeat how often a leader is heard of; at most half of {@code election}
     */
    public record Timing(Duration election, Duration heartbeat) {
        /** Etcd's defaults. */
        public static final Timing DEFAULT = new Timing(Duration.ofMillis(1000), Duration.ofMillis(100));

        public Timing {
            if (heartbeat.toMillis() < 1 || election.toMillis() < 2 * heartbeat.toMillis()) {
                throw new IllegalArgumentException(
                        "election timeout " + election + " must be at least twice the heartbeat interval " + heartbeat);
            }
        }
    }

    /**
     * Sizes.
     *
     * @param segmentBytes size of a full-grown log segment
     * @param maxEntryBytes largest entry that can be proposed
     * @param proposalsInFlight proposals between {@link Consensus#propose} and apply; more fail as overload
     * @param proposalBytesInFlight the same in bytes
     */
    public record Limits(int segmentBytes, int maxEntryBytes, int proposalsInFlight, long proposalBytesInFlight) {
        /** 64 MB segments; enough in flight for group commit to work at any rate that a disk can take. */
        public static final Limits DEFAULT = new Limits(64 << 20, 128 << 20, 4096, 256L << 20);

        /** The engine's queue has room for this many. */
        public static final int MAX_PROPOSALS_IN_FLIGHT = 4096;

        public Limits {
            if (maxEntryBytes < 1 || maxEntryBytes > 128 << 20) {
                throw new IllegalArgumentException("maxEntryBytes out of range: " + maxEntryBytes);
            }
            if (proposalsInFlight < 1 || proposalsInFlight > MAX_PROPOSALS_IN_FLIGHT) {
                throw new IllegalArgumentException("proposalsInFlight out of range: " + proposalsInFlight);
            }
            if (proposalBytesInFlight < maxEntryBytes) {
                throw new IllegalArgumentException("proposalBytesInFlight is below maxEntryBytes");
            }
        }
    }

    /**
     * What is handed in from outside.
     *
     * @param ticker nanoseconds of a steady clock
     * @param logObserver is told about writes and syncs of the log
     * @param room is asked when a write failed that must not fail: true if the disk was full and may have room now, so that
     *     the write is worth another try; it may wait for that
     */
    public record Instruments(LongSupplier ticker, LogObserver logObserver, Predicate<IOException> room) {}
}

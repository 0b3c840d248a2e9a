/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.node;

import dev.nightjar.api.etcdserverpb.Member;
import dev.nightjar.consensus.MemberId;
import dev.nightjar.core.watch.WatchLimits;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * What a node is told at its start.
 *
 * @param dataDirectory its files
 * @param identity who it is if the directory is new
 * @param self what other members and clients are to know of it; the id is filled in
 * @param voters the members of a new cluster
 * @param timing the pace of the log
 * @param quotaBytes size of the store beyond which writes are refused
 * @param snapshotCount log entries between snapshots
 * @param watchLimits of the watch engine
 * @param fsync whether entries are on disk before they count
 * @param compaction when history is given up, and how
 */
public record NodeSettings(
        Path dataDirectory,
        Identity identity,
        Member self,
        List<MemberId> voters,
        Timing timing,
        long quotaBytes,
        long snapshotCount,
        WatchLimits watchLimits,
        boolean fsync,
        Compaction compaction) {

    /**
     * @param heartbeat how often a leader is heard of
     * @param election when a follower gives it up
     */
    public record Timing(Duration heartbeat, Duration election) {}

    /**
     * @param automatic whether the member does it by itself
     * @param pace how hard it works at it
     */
    public record Compaction(AutoCompactionSettings automatic, CompactionPace pace) {
        public static final Compaction DEFAULT = new Compaction(AutoCompactionSettings.OFF, CompactionPace.DEFAULT);
    }

    /** How long a request may wait for the log. */
    Duration requestTimeout() {
        return Duration.ofSeconds(5).plus(timing.election().multipliedBy(2));
    }
}

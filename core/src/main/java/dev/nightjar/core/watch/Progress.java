/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.watch;

import java.util.ArrayDeque;
import java.util.List;

/**
 * Sends progress to watchers that asked for it: periodically, and before a compaction; owned by the loop of its shard.
 *
 * <p>Each stream has its own period, the interval and up to a tenth of it, so that streams opened together do not tick
 * together. One timer for the shard looks at all streams every twentieth of the interval, while there are any.
 */
final class Progress {
    private static final int LOOKS_PER_INTERVAL = 20;
    private static final int JITTER_FRACTION = 10;

    private final WatchShard shard;
    private final WatchEnvironment environment;
    private final long intervalNanos;
    private final ArrayDeque<WatchStream> beforeCompaction = new ArrayDeque<>();
    private long announced = -1;
    private boolean armed;

    Progress(WatchShard shard, WatchEnvironment environment) {
        this.shard = shard;
        this.environment = environment;
        intervalNanos = shard.limits().progressInterval().toNanos();
    }

    /** The period of a new stream. */
    long periodNanos() {
        return intervalNanos + environment.random().nextLong(Math.max(1, intervalNanos / JITTER_FRACTION));
    }

    void arm() {
        if (!armed) {
            armed = true;
            environment.timer().schedule(this::tick, Math.max(1, intervalNanos / LOOKS_PER_INTERVAL));
        }
    }

    private void tick() {
        armed = false;
        long now = shard.nanoTime();
        List.copyOf(shard.streams()).forEach(stream -> stream.progressTick(now));
        shard.endTask();
        if (!shard.streams().isEmpty()) {
            arm();
        }
    }

    /**
     * Tells the watchers where they are before a compaction makes their last known place useless.
     *
     * @param compacted greatest revision of a compaction so far
     * @return whether there is more to do now
     */
    boolean step(long compacted) {
        if (beforeCompaction.isEmpty() && compacted > announced && shard.cursor() >= compacted) {
            announced = compacted;
            beforeCompaction.addAll(shard.streams());
        }
        int budget = shard.limits().turn().responses();
        while (budget > 0 && !beforeCompaction.isEmpty()) {
            budget -= Math.max(1, beforeCompaction.remove().progressBefore(announced));
        }
        return !beforeCompaction.isEmpty();
    }
}

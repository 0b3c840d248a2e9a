/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.watch;

import dev.nightjar.core.mvcc.Change;
import dev.nightjar.core.mvcc.ChangeSource;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Where the apply thread meets the watch engine. The apply thread, which calls everything here but
 * {@link #openShard}, does for each batch of commands:
 *
 * <pre>
 *   append(changes)      the events are there for every shard
 *   ...                  the store moves its published revision
 *   wake()               each loop with watchers is told once
 * </pre>
 */
public final class WatchableStore {
    private final ChangeSource source;
    private final WatchLimits limits;
    private final WatchObserver observer;
    private final EventHistory history;
    private final List<WatchShard> shards = new CopyOnWriteArrayList<>();

    public WatchableStore(ChangeSource source, WatchLimits limits, WatchObserver observer) {
        this(source, limits, observer, new EventHistory(limits.historyBytes(), source.publishedRevision()));
    }

    WatchableStore(ChangeSource source, WatchLimits limits, WatchObserver observer, EventHistory history) {
        this.source = source;
        this.limits = limits;
        this.observer = observer;
        this.history = history;
    }

    /** Makes the shard of one event loop; any thread. */
    public WatchShard openShard(WatchEnvironment environment) {
        WatchShard shard = new WatchShard(environment, source, history, limits, observer);
        shards.add(shard);
        return shard;
    }

    /** Adds the changes of whole revisions, in order, before they are published. */
    public void append(List<Change> changes) {
        history.append(changes);
    }

    /** Tells the shards that the published revision has moved: one task for each loop with watchers, if none waits. */
    public void wake() {
        shards.forEach(WatchShard::wake);
    }

    /** Tells the shards that a compaction is about to take effect, so that idle watchers learn where they are. */
    public void compacting(long revision) {
        shards.forEach(shard -> shard.compacting(revision));
    }
}

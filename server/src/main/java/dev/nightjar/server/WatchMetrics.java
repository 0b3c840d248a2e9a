/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server;

import dev.nightjar.core.watch.WatchObserver;
import dev.nightjar.core.watch.WatcherState;
import dev.nightjar.server.observe.Metrics;
import java.util.EnumMap;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;

/** Counts streams, watchers by state and events. Any thread. */
final class WatchMetrics implements WatchObserver {
    private final LongAdder streams = new LongAdder();
    private final LongAdder events = new LongAdder();
    private final EnumMap<WatcherState, LongAdder> watchers = new EnumMap<>(WatcherState.class);

    WatchMetrics(Metrics metrics) {
        for (WatcherState state : WatcherState.values()) {
            watchers.put(state, new LongAdder());
        }
        metrics.watchStreams.follow(streams::sum);
        metrics.events.follow(events::sum);
        metrics.watchers.follow(
                () -> count(WatcherState.SYNCED) + count(WatcherState.UNSYNCED) + count(WatcherState.VICTIM));
        metrics.slowWatchers.follow(() -> count(WatcherState.UNSYNCED) + count(WatcherState.VICTIM));
    }

    private LongAdder of(WatcherState state) {
        return Objects.requireNonNull(watchers.get(state));
    }

    private long count(WatcherState state) {
        return of(state).sum();
    }

    @Override
    public void streamOpened() {
        streams.increment();
    }

    @Override
    public void streamClosed() {
        streams.decrement();
    }

    @Override
    public void watcherMoved(WatcherState from, WatcherState to) {
        of(from).decrement();
        of(to).increment();
    }

    @Override
    public void eventsSent(int count) {
        events.add(count);
    }
}

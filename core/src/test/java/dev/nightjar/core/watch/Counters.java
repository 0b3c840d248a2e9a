/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.watch;

import java.util.EnumMap;
import java.util.Map;

/** What the observer of a single loop was told. */
final class Counters implements WatchObserver {
    private final Map<WatcherState, Integer> watchers = new EnumMap<>(WatcherState.class);
    int streams;
    long events;
    int scans;
    int failures;

    int watchers(WatcherState state) {
        return watchers.getOrDefault(state, 0);
    }

    /** "synced/unsynced/victims" */
    String states() {
        return watchers(WatcherState.SYNCED)
                + "/" + watchers(WatcherState.UNSYNCED)
                + "/" + watchers(WatcherState.VICTIM);
    }

    @Override
    public void streamOpened() {
        streams++;
    }

    @Override
    public void streamClosed() {
        streams--;
    }

    @Override
    public void watcherMoved(WatcherState from, WatcherState to) {
        watchers.merge(from, -1, Integer::sum);
        watchers.merge(to, 1, Integer::sum);
    }

    @Override
    public void eventsSent(int sent) {
        events += sent;
    }

    @Override
    public void scanned(int changes, long matchedBytes) {
        scans++;
    }

    @Override
    public void streamFailed(Throwable cause) {
        failures++;
    }
}

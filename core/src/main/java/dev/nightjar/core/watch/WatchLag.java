/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.watch;

import java.util.List;
import java.util.function.Consumer;

/**
 * How far a shard is behind the published revision, and its unsynced and victim watchers.
 *
 * @param cursorRevisions the shard itself, and with it every synced watcher; 0 if nobody watches
 * @param watchers how many are behind
 * @param maxRevisions the farthest
 * @param p99Revisions at least 99 of 100 are no farther behind
 */
public record WatchLag(long cursorRevisions, int watchers, long maxRevisions, long p99Revisions) {

    static WatchLag of(List<WatchStream> streams, long published, long cursor) {
        long[] lags = streams.stream()
                .mapMulti((WatchStream stream, Consumer<Watcher> found) ->
                        stream.watchers().forEach(found))
                .filter(watcher -> watcher.state() == WatcherState.UNSYNCED || watcher.state() == WatcherState.VICTIM)
                .mapToLong(watcher -> published - watcher.nextRevision() + 1)
                .sorted()
                .toArray();
        if (lags.length == 0) {
            return new WatchLag(published - cursor, 0, 0, 0);
        }
        int p99 = (lags.length * 99 + 99) / 100 - 1;
        return new WatchLag(published - cursor, lags.length, lags[lags.length - 1], lags[p99]);
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.watch;

/** Told what happens, for metrics; called on event loops, several at a time, so it is to be safe and quick. */
public interface WatchObserver {
    WatchObserver NONE = new WatchObserver() {};

    default void streamOpened() {}

    default void streamClosed() {}

    /** A watcher moves between states; it begins and ends in {@link WatcherState#CLOSED}. */
    default void watcherMoved(WatcherState from, WatcherState to) {}

    /** One response with events was handed to a stream. */
    default void eventsSent(int events) {}

    /** A scan for unsynced watchers has ended. */
    default void scanned(int changes, long matchedBytes) {}

    /** A stream was given up; its client is told. */
    default void streamFailed(Throwable cause) {}
}

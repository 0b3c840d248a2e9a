/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.watch;

import org.jspecify.annotations.Nullable;

/**
 * First in, first out; owned by one loop. The queue runs through the watchers, so it costs nothing for each, and a
 * watcher can be in one queue only: with events in this turn, among the victims of its stream, or waiting for catch-up.
 * A watcher that is closed meanwhile stays until its turn comes; whoever polls looks at its state.
 */
final class WatcherQueue {
    private @Nullable Watcher head;
    private @Nullable Watcher tail;

    boolean isEmpty() {
        return head == null;
    }

    void add(Watcher watcher) {
        if (tail == null) {
            head = watcher;
        } else {
            tail.nextInQueue = watcher;
        }
        tail = watcher;
    }

    @Nullable
    Watcher poll() {
        Watcher first = head;
        if (first != null) {
            head = first.nextInQueue;
            first.nextInQueue = null;
            if (head == null) {
                tail = null;
            }
        }
        return first;
    }

    void clear() {
        while (poll() != null) {
            // each lets go of the next
        }
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.watch;

/** Counts the watchers of one connection over all its streams; owned by the connection's loop. */
public final class WatcherQuota {
    private final int limit;
    private int used;

    public WatcherQuota(int limit) {
        this.limit = limit;
    }

    boolean isFull() {
        return used >= limit;
    }

    void take() {
        used++;
    }

    void release() {
        used--;
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.node;

import dev.nightjar.consensus.LogObserver;
import dev.nightjar.core.watch.WatchObserver;

/**
 * Who is told of a node's work, for metrics.
 *
 * @param log of writes and syncs of the log
 * @param watch of streams, watchers and events
 * @param maintenance of hashes and defragmentations
 */
public record NodeObservers(LogObserver log, WatchObserver watch, MaintenanceObserver maintenance) {
    /** Nobody. */
    public static final NodeObservers NONE =
            new NodeObservers(LogObserver.NONE, WatchObserver.NONE, MaintenanceObserver.NONE);
}

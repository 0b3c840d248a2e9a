/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.watch;

/** Where a watcher stands; exactly one at a time. */
public enum WatcherState {
    /** Has everything up to the cursor of its shard and waits for new changes. */
    SYNCED,
    /** Lacks changes at or below the cursor and is being caught up from history. */
    UNSYNCED,
    /** Has changes to get, but its stream takes no more bytes now. */
    VICTIM,
    /** Canceled, or gone with its stream. */
    CLOSED
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
/**
 * The watch engine: turns the history of the store into the responses of watch streams.
 *
 * <p>Words. A <em>watcher</em> is one registered interest (a range of keys, a start, options); a <em>stream</em>
 * carries any number of watchers to one client; a <em>shard</em> holds the streams of one event loop. A watcher is
 * <em>synced</em> when it has everything up to the cursor of its shard, <em>unsynced</em> while it is being caught up
 * from history, and a <em>victim</em> while its stream takes no more bytes.
 *
 * <p>Threads. The apply thread appends to {@link EventHistory} and wakes the shards, and never looks at a watcher.
 * Everything else belongs to the event loop of its shard; a history reader runs catch-up scans on a copy of what it
 * needs and hands the result back as a message. No lock is taken anywhere.
 *
 * <p>Depends on {@code core.mvcc} for changes and history, and on nothing else of the project.
 *
 * <p>Start reading at {@link WatchShard}, then {@code LiveTurn} (synced watchers), {@code CatchUp} (all others) and
 * {@link WatchStream} (what a client may ask).
 */
@org.jspecify.annotations.NullMarked
package dev.nightjar.core.watch;

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.watch;

/**
 * One watcher, for an operator who asks who watches what and how far behind.
 *
 * @param key first key, not to be changed
 * @param rangeEnd as in a request: empty for one key, a single zero byte for no end; not to be changed
 * @param nextRevision smallest revision that the client may still lack
 */
public record WatcherInfo(long watchId, byte[] key, byte[] rangeEnd, WatcherState state, long nextRevision) {}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
/**
 * Records on disk: an append-only log of segment files, written a frame at a time and read through read-only memory
 * maps. The consensus log is the promise to the client; this log owes only that a frame is there whole or not at all,
 * and that the applied index in a frame agrees with the records before it.
 *
 * <p>The apply thread appends; any thread reads what has been appended; a background executor syncs sealed segments.
 * Depends on nothing of the project. Start reading at {@link dev.nightjar.core.storage.SegmentLog}.
 */
@org.jspecify.annotations.NullMarked
package dev.nightjar.core.storage;

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.mvcc;

import java.util.TreeMap;

/**
 * Revisions that long reads are at: the index keeps what is visible there until they are through. Any thread. The
 * monitor guards the map and is held for one operation on it, about a microsecond.
 */
final class ReadPins {

    private final TreeMap<Long, Integer> pins = new TreeMap<>();

    synchronized void pin(long revision) {
        pins.merge(revision, 1, Integer::sum);
    }

    synchronized void unpin(long revision) {
        pins.computeIfPresent(revision, (pinned, count) -> count == 1 ? null : count - 1);
    }

    /** The lowest pinned revision, or {@code otherwise} if that is lower or there is none. */
    synchronized long lowest(long otherwise) {
        return pins.isEmpty() ? otherwise : Math.min(pins.firstKey(), otherwise);
    }
}

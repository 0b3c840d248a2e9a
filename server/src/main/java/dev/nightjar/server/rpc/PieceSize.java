/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.rpc;

import dev.nightjar.core.mvcc.RangeCursor;

/**
 * How much of a streamed range goes into one piece. Immutable.
 *
 * <p>The first piece has ten keys at most; after that the number is doubled while pieces stay small. Whatever the number,
 * a piece ends with the key that brings it to the target, so that it is larger by one key-value at most.
 *
 * @param targetBytes what a piece should come to
 */
record PieceSize(int targetBytes) {
    static final int FIRST_KEYS = 10;

    /** Keys looked up for one piece: a look at so many takes milliseconds, and a longer one saves nothing any more. */
    static final int MAX_KEYS = RangeCursor.KEPT_PLACES;

    /**
     * Most keys of the piece after one.
     *
     * @param keys most keys of that one
     * @param taken the keys that it had
     * @param bytes what it came to
     */
    int nextKeys(int keys, int taken, long bytes) {
        if (taken < keys) {
            return taken;
        }
        return bytes < targetBytes / 2 ? Math.min(MAX_KEYS, keys * 2) : keys;
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.mvcc;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The keys that came or went since the last publication. The index counts them already, readers of the published
 * revision must not. Written by the apply thread under the index's write lock, read under its read lock.
 *
 * <p>One command can delete millions of keys. Beyond {@link #MAX_KEYS} none are remembered until the next publication:
 * whoever counts has to walk the range.
 */
final class UnpublishedCounts {

    /** All of them are looked at under the lock: some hundred microseconds. */
    static final int MAX_KEYS = 16 * 1024;

    private final List<byte[]> keys = new ArrayList<>();
    private int[] deltas = new int[64];
    private volatile boolean lost;

    void add(byte[] key, int delta) {
        if (lost) {
            return;
        }
        if (keys.size() == MAX_KEYS) {
            lost = true;
            keys.clear();
            return;
        }
        if (keys.size() == deltas.length) {
            deltas = Arrays.copyOf(deltas, 2 * deltas.length);
        }
        deltas[keys.size()] = delta;
        keys.add(key);
    }

    void clear() {
        keys.clear();
        lost = false;
    }

    /** Whether there were too many to tell. Any thread. */
    boolean isLost() {
        return lost;
    }

    /** By how much the count of a range has changed; not to be asked if {@link #isLost}. */
    int sum(byte[] from, byte @Nullable [] end) {
        int sum = 0;
        for (int i = 0; i < keys.size(); i++) {
            byte[] key = keys.get(i);
            if (Arrays.compareUnsigned(key, from) >= 0 && (end == null || Arrays.compareUnsigned(key, end) < 0)) {
                sum += deltas[i];
            }
        }
        return sum;
    }
}

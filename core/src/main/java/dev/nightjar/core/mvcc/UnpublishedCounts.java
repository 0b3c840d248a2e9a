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
 * revision must not. Written by the apply thread under the index's write lock, read under its read lock; at most as long
 * as one apply batch has changes.
 */
final class UnpublishedCounts {

    private final List<byte[]> keys = new ArrayList<>();
    private int[] deltas = new int[64];
    private int total;

    void add(byte[] key, int delta) {
        if (keys.size() == deltas.length) {
            deltas = Arrays.copyOf(deltas, 2 * deltas.length);
        }
        deltas[keys.size()] = delta;
        keys.add(key);
        total += delta;
    }

    void clear() {
        keys.clear();
        total = 0;
    }

    int total() {
        return total;
    }

    /** By how much the count of a range has changed. */
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

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.consensus.log;

import java.util.Arrays;

/**
 * The offsets of the records of one segment, four bytes each. Written by the log thread; {@link #get} may be called by any
 * thread for an ordinal below a {@link #size} that it has read.
 */
final class OffsetTable {
    private static final int CHUNK_BITS = 12;
    private static final int CHUNK = 1 << CHUNK_BITS;

    private volatile int[][] chunks = new int[0][];
    private volatile int size;

    int size() {
        return size;
    }

    int get(int ordinal) {
        return chunks[ordinal >>> CHUNK_BITS][ordinal & (CHUNK - 1)];
    }

    /** Adds an offset; readers see it at once. */
    void add(int offset) {
        int ordinal = size;
        int chunk = ordinal >>> CHUNK_BITS;
        int[][] all = chunks;
        if (chunk == all.length) {
            all = Arrays.copyOf(all, chunk + 1);
            all[chunk] = new int[CHUNK];
            chunks = all;
        }
        all[chunk][ordinal & (CHUNK - 1)] = offset;
        size = ordinal + 1;
    }

    /** Forgets all offsets from {@code newSize} on. */
    void truncate(int newSize) {
        size = newSize;
        chunks = Arrays.copyOf(chunks, (newSize + CHUNK - 1) >>> CHUNK_BITS);
    }
}

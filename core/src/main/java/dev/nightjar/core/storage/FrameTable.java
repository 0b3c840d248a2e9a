/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.storage;

import java.util.Arrays;

/**
 * Where to start looking for a revision in a segment: about every {@link #STRIDE_BYTES} the offset of a frame and the
 * newest revision before it. One thread adds; any thread looks up.
 */
final class FrameTable {

    /** Short enough to be walked in microseconds, long enough that the table is a thousandth of the segment. */
    static final int STRIDE_BYTES = 16 << 10;

    private static final int INITIAL_ENTRIES = 16;

    /** Pairs of revision and offset; replaced when full, published by the write of {@link #count}. */
    private volatile long[] entries = new long[2 * INITIAL_ENTRIES];

    private volatile int count;
    private long nextOffset;

    /** Notes a frame, if it lies far enough behind the one noted last. */
    void add(long revisionBefore, long offset) {
        if (offset < nextOffset) {
            return;
        }
        int at = count;
        long[] target = entries;
        if (2 * at == target.length) {
            target = Arrays.copyOf(target, 2 * target.length);
            entries = target;
        }
        target[2 * at] = revisionBefore;
        target[2 * at + 1] = offset;
        count = at + 1;
        nextOffset = offset + STRIDE_BYTES;
    }

    /** Offset of the last noted frame before which every revision is below {@code revision}; 0 if there is none. */
    long seek(long revision) {
        int low = 0;
        int high = count;
        long[] source = entries;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (source[2 * middle] < revision) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low == 0 ? 0 : source[2 * low - 1];
    }
}

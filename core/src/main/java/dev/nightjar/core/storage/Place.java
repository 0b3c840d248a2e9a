/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.storage;

/**
 * Where a record or frame lies, as one number: {@code sequence (26 bits) | generation (6 bits) | offset (32 bits)}.
 * Compares like the order of the log. Zero is no place: sequences count from 1.
 *
 * <p>The generation counts how often a segment has been rewritten; a place in an older generation names nothing any
 * more. Each rewrite leaves at most half, so that 6 bits are enough.
 */
final class Place {

    static final int GENERATION_BITS = 6;
    static final int MAX_SEQUENCE = (1 << (Integer.SIZE - GENERATION_BITS)) - 1;
    private static final long OFFSET_MASK = 0xffff_ffffL;

    private Place() {}

    static long of(int segmentKey, long offset) {
        return ((long) segmentKey << Integer.SIZE) | offset;
    }

    static int segmentKey(int sequence, int generation) {
        return (sequence << GENERATION_BITS) | generation;
    }

    static int segmentKey(long place) {
        return (int) (place >>> Integer.SIZE);
    }

    static int sequence(int segmentKey) {
        return segmentKey >>> GENERATION_BITS;
    }

    static long offset(long place) {
        return place & OFFSET_MASK;
    }
}

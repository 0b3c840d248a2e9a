/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.storage;

/**
 * Where a record or frame lies, as one number: {@code id of the file (32 bits) | offset in it (32 bits)}. Zero is no
 * place: ids count from 1 and are never used again. A segment that is packed moves to a new file, so a place in its old
 * file names nothing any more; it is a hint, and the index knows better.
 *
 * <p>Not to be mixed up with a <i>position</i>, {@code sequence of the segment | offset in it}, which says how far the
 * log has come.
 */
final class Place {

    private static final long OFFSET_MASK = 0xffff_ffffL;

    private Place() {}

    static long of(int fileId, long offset) {
        return ((long) fileId << Integer.SIZE) | offset;
    }

    static int fileId(long place) {
        return (int) (place >>> Integer.SIZE);
    }

    static long offset(long place) {
        return place & OFFSET_MASK;
    }

    /** What is thrown if the index names a place whose file is gone. */
    static IllegalStateException gone(long place) {
        return new IllegalStateException("the index names a place that is gone: " + Long.toHexString(place));
    }

    static long position(int sequence, long offset) {
        return ((long) sequence << Integer.SIZE) | offset;
    }

    static int sequence(long position) {
        return (int) (position >>> Integer.SIZE);
    }
}

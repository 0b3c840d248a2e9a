/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.apply;

/**
 * How many bytes of old values the commands of one log entry may write once more. Owned by the apply thread.
 *
 * <p>A put that keeps its key's value is a few bytes in the log, but its record holds the whole value. An entry cannot be
 * divided among frames of the store, so without a limit a small entry could grow to a frame that no member can write,
 * again at each start. The count begins anew with each entry and depends on nothing else, so that all members refuse the
 * same commands.
 */
final class KeptValues {
    /**
     * The largest transaction that the default limits allow, 128 values of 1.5 MiB, fits; a frame of this size is still
     * far below what a frame can be.
     */
    static final long LIMIT = 256L << 20;

    private final long limit;
    private long left;

    KeptValues(long limit) {
        this.limit = limit;
        this.left = limit;
    }

    void beginEntry() {
        left = limit;
    }

    /** Takes all the bytes that one command keeps; if they are too many takes nothing and returns false. */
    boolean take(long bytes) {
        if (bytes > left) {
            return false;
        }
        left -= bytes;
        return true;
    }
}

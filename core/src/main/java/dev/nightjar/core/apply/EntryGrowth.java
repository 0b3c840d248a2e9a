/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.apply;

/**
 * How many bytes more than they bring the commands of one log entry may write. Owned by the apply thread.
 *
 * <p>Two kinds of commands are small in the log and large in the store: a put that keeps its key's value writes the whole
 * value once more, and a delete of a range writes a record for each key. An entry cannot be divided among frames of the
 * store, so without a limit a small entry could grow to a frame that no member can write, again at each start. The count
 * begins anew with each entry and depends on nothing but the entry and the state before it, so that all members refuse
 * the same commands.
 */
final class EntryGrowth {
    /**
     * The largest transaction that the default limits allow, 128 values of 1.5 MiB, fits more than twice, a delete of five
     * million keys of usual length too; a frame of this size is still far below what a frame can be.
     */
    static final long LIMIT = 512L << 20;

    private final long limit;
    private long left;

    EntryGrowth(long limit) {
        this.limit = limit;
        this.left = limit;
    }

    void beginEntry() {
        left = limit;
    }

    /** What the commands of this entry may still take. */
    long left() {
        return left;
    }

    /** Takes all the bytes that one command adds; if they are too many takes nothing and returns false. */
    boolean take(long bytes) {
        if (bytes > left) {
            return false;
        }
        left -= bytes;
        return true;
    }
}

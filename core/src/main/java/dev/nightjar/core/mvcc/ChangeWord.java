/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.mvcc;

/**
 * A revision and two flags in one number: {@code tombstone (1 bit) | leased (1 bit) | main revision (62 bits)}.
 * Stateless.
 */
final class ChangeWord {

    private static final long TOMBSTONE = 1L << 63;
    private static final long LEASED = 1L << 62;
    private static final long REVISION = LEASED - 1;

    private ChangeWord() {}

    static long put(long revision, boolean leased) {
        return leased ? revision | LEASED : revision;
    }

    static long tombstone(long revision) {
        return revision | TOMBSTONE;
    }

    static long revision(long word) {
        return word & REVISION;
    }

    static boolean isTombstone(long word) {
        return word < 0;
    }

    /** Whether the change attached the key to a lease. */
    static boolean isLeased(long word) {
        return (word & LEASED) != 0;
    }
}

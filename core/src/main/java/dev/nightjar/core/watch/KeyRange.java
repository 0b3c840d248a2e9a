/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.watch;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The keys that a watcher wants; immutable, any thread. Keys compare as unsigned bytes, the shorter first.
 *
 * <p>A prefix is a range like any other on the wire; it is recognised here because the tree finds prefixes faster, and
 * keeps no end of its own, which saves an array for each such watcher:
 *
 * <pre>
 *   key "foo"  end ""      SINGLE    exactly "foo"
 *   key "foo"  end "fop"   PREFIX    what begins with "foo"
 *   key "foo"  end 0x00    OPEN      everything from "foo" on
 *   key "foo"  end "zoo"   INTERVAL  from "foo" on, below "zoo"
 * </pre>
 */
class KeyRange {
    enum Kind {
        SINGLE,
        PREFIX,
        OPEN,
        INTERVAL
    }

    private static final byte[] ZERO = {0};
    private static final byte[] NO_END = {};

    final byte[] key;
    private final byte[] end;
    private final Kind kind;

    private KeyRange(byte[] key, byte[] end, Kind kind) {
        this.key = key;
        this.end = end;
        this.kind = kind;
    }

    /** A copy that shares the bytes. */
    KeyRange(KeyRange other) {
        this(other.key, other.end, other.kind);
    }

    /**
     * Applies the conventions of the API.
     *
     * @param key as sent; empty stands for the one byte 0
     * @param rangeEnd as sent
     * @return null if the range can hold no key
     */
    static @Nullable KeyRange of(byte[] key, byte[] rangeEnd) {
        byte[] from = key.length == 0 ? ZERO : key;
        if (rangeEnd.length == 0) {
            return new KeyRange(from, NO_END, Kind.SINGLE);
        }
        if (rangeEnd.length == 1 && rangeEnd[0] == 0) {
            return new KeyRange(from, NO_END, Kind.OPEN);
        }
        if (Arrays.compareUnsigned(from, rangeEnd) >= 0) {
            return null;
        }
        return Arrays.equals(rangeEnd, prefixEnd(from))
                ? new KeyRange(from, NO_END, Kind.PREFIX)
                : new KeyRange(from, rangeEnd, Kind.INTERVAL);
    }

    final Kind kind() {
        return kind;
    }

    /** First key behind an {@link Kind#INTERVAL}. */
    final byte[] intervalEnd() {
        if (kind != Kind.INTERVAL) {
            throw new IllegalStateException("no interval: " + kind);
        }
        return end;
    }

    final boolean contains(byte[] candidate) {
        return switch (kind) {
            case SINGLE -> Arrays.equals(key, candidate);
            case PREFIX ->
                candidate.length >= key.length && Arrays.equals(key, 0, key.length, candidate, 0, key.length);
            case OPEN -> Arrays.compareUnsigned(key, candidate) <= 0;
            case INTERVAL -> Arrays.compareUnsigned(key, candidate) <= 0 && Arrays.compareUnsigned(candidate, end) < 0;
        };
    }

    /** Order by key, then by end; only among ranges of one kind. */
    final int compareWithin(KeyRange other) {
        int byKey = Arrays.compareUnsigned(key, other.key);
        return byKey != 0 ? byKey : Arrays.compareUnsigned(end, other.end);
    }

    /** The key with its last byte below 0xff raised by one and the rest cut off; empty if there is no such byte. */
    private static byte[] prefixEnd(byte[] key) {
        int length = key.length;
        while (length > 0 && key[length - 1] == (byte) 0xff) {
            length--;
        }
        byte[] end = Arrays.copyOf(key, length);
        if (length > 0) {
            end[length - 1]++;
        }
        return end;
    }
}

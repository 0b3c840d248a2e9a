/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.mvcc;

import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;

/**
 * The keys that the operations of a transaction before a certain one have written: single keys and deleted ranges. Not to be
 * changed once it is read; then any thread.
 *
 * <p>A transaction changes no key twice. So in the middle of it the store is as it was before, but for these keys, which are
 * as they are afterwards:
 *
 * <pre>
 *   before, revision 7     a=1  b=1  c=1
 *   operations             put a=2,  delete b,  range a..d,  put c=2
 *   after, revision 8      a=2       c=2
 *   the range              a and b are read at revision 8, all others at 7:  a=2  c=1
 * </pre>
 */
public final class ChangedKeys {
    private static final byte[] TO_THE_END = {};

    /** Disjoint ranges: first key, and first key behind; empty for none. */
    private final TreeMap<byte[], byte[]> ranges = new TreeMap<>(Arrays::compareUnsigned);

    /** Adds a range, in the forms of {@link RangeQuery}. */
    public void add(byte[] key, byte[] end) {
        byte[] behind = end.length == 0 ? KeyBytes.successor(key) : RangeWalk.end(end);
        byte[] from = key;
        byte[] to = behind == null ? TO_THE_END : behind;
        if (!isBefore(from, to)) {
            return;
        }
        Map.Entry<byte[], byte[]> near = ranges.floorEntry(from);
        if (near != null && isBefore(from, near.getValue())) {
            from = near.getKey();
            to = later(to, near.getValue());
        }
        for (near = ranges.ceilingEntry(from); near != null && isBefore(near.getKey(), to); ) {
            ranges.remove(near.getKey());
            to = later(to, near.getValue());
            near = ranges.ceilingEntry(from);
        }
        ranges.put(from, to);
    }

    /** Whether there may be such keys in a range. */
    public boolean touches(RangeQuery query) {
        byte[] end = query.isSingleKey() ? KeyBytes.successor(query.key()) : RangeWalk.end(query.end());
        Map.Entry<byte[], byte[]> before = ranges.floorEntry(query.key());
        byte[] next = ranges.ceilingKey(query.key());
        return (before != null && isBefore(query.key(), before.getValue()))
                || (next != null && (end == null || Arrays.compareUnsigned(next, end) < 0));
    }

    boolean contains(byte[] key) {
        Map.Entry<byte[], byte[]> near = ranges.floorEntry(key);
        return near != null && isBefore(key, near.getValue());
    }

    private static boolean isBefore(byte[] key, byte[] end) {
        return end.length == 0 || Arrays.compareUnsigned(key, end) < 0;
    }

    private static byte[] later(byte[] one, byte[] other) {
        if (one.length == 0) {
            return one;
        }
        return isBefore(one, other) ? other : one;
    }
}

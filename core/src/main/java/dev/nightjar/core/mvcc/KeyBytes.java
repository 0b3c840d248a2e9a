/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.mvcc;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/** Comparing keys: unsigned bytes, a shorter key before a longer one that begins with it. Stateless. */
final class KeyBytes {

    private static final VarHandle LONG_IN_ARRAY =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfLong LONG_IN_PAGE =
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private KeyBytes() {}

    /** The four bytes of a key from {@code offset} on as an unsigned number, zeros where the key has ended. */
    static int head(byte[] key, int offset) {
        int head = 0;
        for (int i = 0; i < Integer.BYTES; i++) {
            head = (head << Byte.SIZE) | (offset + i < key.length ? key[offset + i] & 0xff : 0);
        }
        return head;
    }

    /** The eight bytes of a key from {@code offset} on as an unsigned number, zeros where the key has ended. */
    static long longHead(byte[] key, int offset) {
        if (key.length - offset >= Long.BYTES) {
            return (long) LONG_IN_ARRAY.get(key, offset);
        }
        long head = 0;
        for (int i = 0; i < Long.BYTES; i++) {
            head = (head << Byte.SIZE) | (offset + i < key.length ? key[offset + i] & 0xff : 0);
        }
        return head;
    }

    /** Compares {@code length} bytes of a page with the rest of a key from {@code offset} on. */
    static int compare(MemorySegment page, long at, int length, byte[] key, int offset) {
        int keyLength = key.length - offset;
        int common = Math.min(length, keyLength);
        int i = mismatch(page, at, key, offset, common);
        if (i < common) {
            return Integer.compare(page.get(ValueLayout.JAVA_BYTE, at + i) & 0xff, key[offset + i] & 0xff);
        }
        return Integer.compare(length, keyLength);
    }

    /**
     * Compares a prefix in a page with the start of a key: 0 if the key begins with it, else below or above 0 as the
     * prefix lies before or behind the key.
     */
    static int comparePrefix(MemorySegment page, long at, int length, byte[] key) {
        int common = Math.min(length, key.length);
        int i = mismatch(page, at, key, 0, common);
        if (i < common) {
            return Integer.compare(page.get(ValueLayout.JAVA_BYTE, at + i) & 0xff, key[i] & 0xff);
        }
        return common == length ? 0 : 1;
    }

    private static int mismatch(MemorySegment page, long at, byte[] key, int offset, int length) {
        int i = 0;
        while (i <= length - Long.BYTES) {
            long difference = page.get(LONG_IN_PAGE, at + i) ^ (long) LONG_IN_ARRAY.get(key, offset + i);
            if (difference != 0) {
                return i + Long.numberOfLeadingZeros(difference) / Byte.SIZE;
            }
            i += Long.BYTES;
        }
        while (i < length && page.get(ValueLayout.JAVA_BYTE, at + i) == key[offset + i]) {
            i++;
        }
        return i;
    }

    /** Number of bytes that two keys have in common at the start. */
    static int commonPrefix(byte[] one, byte[] other) {
        int mismatch = Arrays.mismatch(one, other);
        return mismatch < 0 ? one.length : mismatch;
    }

    /** The smallest key behind {@code key}. */
    static byte[] successor(byte[] key) {
        return Arrays.copyOf(key, key.length + 1);
    }
}

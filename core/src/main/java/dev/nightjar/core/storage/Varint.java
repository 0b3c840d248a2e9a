/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.storage;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;

/** Base-128 numbers as protobuf writes them; stateless. */
public final class Varint {

    private static final int MAX_BYTES = 10;

    private Varint() {}

    /** Number of bytes that {@code value}, taken as unsigned, needs. */
    public static int size(long value) {
        // 7 bits a byte: (bits + 6) / 7, and one byte for zero.
        return (70 - Long.numberOfLeadingZeros(value | 1)) / 7;
    }

    /** Writes at {@code position} and returns the position behind. */
    static int write(ByteBuffer target, int position, long value) {
        long rest = value;
        int at = position;
        while ((rest & ~0x7fL) != 0) {
            target.put(at++, (byte) (rest | 0x80));
            rest >>>= 7;
        }
        target.put(at++, (byte) rest);
        return at;
    }

    /** Writes at {@code offset} and returns the offset behind. */
    public static long write(MemorySegment target, long offset, long value) {
        long rest = value;
        long at = offset;
        while ((rest & ~0x7fL) != 0) {
            target.set(ValueLayout.JAVA_BYTE, at++, (byte) (rest | 0x80));
            rest >>>= 7;
        }
        target.set(ValueLayout.JAVA_BYTE, at++, (byte) rest);
        return at;
    }

    /** Reads at {@code offset}; the number takes {@link #size} bytes if it was written the shortest way. */
    public static long read(MemorySegment memory, long offset) {
        long value = 0;
        for (int i = 0; i < MAX_BYTES; i++) {
            byte next = memory.get(ValueLayout.JAVA_BYTE, offset + i);
            value |= (long) (next & 0x7f) << (7 * i);
            if (next >= 0) {
                return value;
            }
        }
        throw new IllegalStateException("number without an end at " + offset);
    }
}

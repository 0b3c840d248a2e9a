/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.mvcc;

import dev.nightjar.core.storage.StoredRecord;
import dev.nightjar.core.storage.Varint;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;

/**
 * One KeyValue as it is stored: the encoded message lies in a mapped segment and is copied from there. Immutable; any
 * thread; stays valid as long as it is held, also after compaction.
 *
 * <p>Field order of the encoded message: key, create_revision, mod_revision, version, lease (if not 0), value (if not
 * empty). Numbers are decoded when they are asked for.
 */
public final class KvView {

    private static final byte TAG_CREATE = 0x10;
    private static final byte TAG_VERSION = 0x20;
    private static final byte TAG_LEASE = 0x30;

    private final MemorySegment memory;
    private final long start;
    private final long modRevision;
    private final int keyLength;
    private final int prefixLength;
    private final int length;

    KvView(StoredRecord record) {
        this.memory = record.memory();
        this.start = record.bodyOffset();
        this.modRevision = record.revision();
        this.keyLength = record.keyLength();
        this.prefixLength = record.prefixLength();
        this.length = record.bodyLength();
    }

    public long createRevision() {
        return number(TAG_CREATE);
    }

    public long modRevision() {
        return modRevision;
    }

    public long version() {
        return number(TAG_VERSION);
    }

    /** The lease that the key is attached to, 0 if none. */
    public long lease() {
        return number(TAG_LEASE);
    }

    /** A fresh copy of the key. */
    public byte[] key() {
        byte[] key = new byte[keyLength];
        MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, start + 1 + Varint.size(keyLength), key, 0, keyLength);
        return key;
    }

    public int valueLength() {
        return prefixLength == length ? 0 : (int) Varint.read(memory, start + prefixLength + 1);
    }

    /** The value, read-only, from position 0 to the limit. */
    public ByteBuffer value() {
        int valueLength = valueLength();
        return slice(length - valueLength, valueLength);
    }

    /** Length of the encoded KeyValue in bytes. */
    public int encodedLength() {
        return length;
    }

    /** Length in bytes of the encoded KeyValue without its value field, which comes last. */
    public int encodedLengthWithoutValue() {
        return prefixLength;
    }

    /** The encoded KeyValue, read-only, from position 0 to the limit. */
    public ByteBuffer encoded() {
        return slice(0, length);
    }

    /** Copies the first {@code count} bytes of the encoded KeyValue into {@code target} from {@code offset} on. */
    public void copyEncoded(byte[] target, int offset, int count) {
        if (count > length) {
            throw new IndexOutOfBoundsException(count + " of " + length + " bytes");
        }
        MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, start, target, offset, count);
    }

    /** Compares values as unsigned bytes. */
    int compareValue(KvView other) {
        int mine = valueLength();
        int others = other.valueLength();
        long from = start + length - mine;
        long otherFrom = other.start + other.length - others;
        long at = MemorySegment.mismatch(memory, from, from + mine, other.memory, otherFrom, otherFrom + others);
        if (at < 0 || at == mine || at == others) {
            return Integer.compare(mine, others);
        }
        return Integer.compare(
                memory.get(ValueLayout.JAVA_BYTE, from + at) & 0xff,
                other.memory.get(ValueLayout.JAVA_BYTE, otherFrom + at) & 0xff);
    }

    /** The first bytes of the value as a number: where it differs, it orders as {@link #compareValue} does. */
    long valueHead() {
        int valueLength = valueLength();
        long from = start + length - valueLength;
        long head = 0;
        for (int i = 0; i < Long.BYTES; i++) {
            head = head << Byte.SIZE | (i < valueLength ? memory.get(ValueLayout.JAVA_BYTE, from + i) & 0xff : 0);
        }
        return head ^ Long.MIN_VALUE;
    }

    private ByteBuffer slice(int from, int count) {
        return memory.asSlice(start + from, count).asByteBuffer().asReadOnlyBuffer();
    }

    /** The number with a tag, 0 if it is not there. */
    private long number(byte tag) {
        long at = start + 1 + Varint.size(keyLength) + keyLength;
        long end = start + prefixLength;
        while (at < end) {
            long value = Varint.read(memory, at + 1);
            if (memory.get(ValueLayout.JAVA_BYTE, at) == tag) {
                return value;
            }
            at += 1 + Varint.size(value);
        }
        return 0;
    }
}

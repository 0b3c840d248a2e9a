/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.storage;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * One record where it lies, nothing decoded. Immutable; any thread; valid as long as it is held.
 *
 * <pre>
 *   0  type (1)   1  zero (1)   2  row type (2)   4  sub revision (4)
 *   8  main revision (8)       16  previous revision (8)      24  previous place (8)
 *  32  key length (4)          36  length of the body without the value (4)
 *  40  body length (4)         44  body
 * </pre>
 *
 * All numbers little-endian. The key lies inside the body: behind the field tag and length in a KeyValue, at the start
 * in a row.
 */
public final class StoredRecord {

    public static final int HEADER_BYTES = 44;
    static final int ROW_TYPE = 2;
    static final int SUB = 4;
    static final int REVISION = 8;
    static final int PREVIOUS_REVISION = 16;
    static final int PREVIOUS_PLACE = 24;
    static final int KEY_LENGTH = 32;
    static final int PREFIX_LENGTH = 36;
    static final int BODY_LENGTH = 40;

    static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfShort SHORT =
            ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private final MemorySegment memory;
    private final long offset;

    StoredRecord(MemorySegment memory, long offset) {
        this.memory = memory;
        this.offset = offset;
    }

    /**
     * Length of the record that lies at an offset, -1 if it is not well-formed or does not end at or before the limit.
     *
     * <p>A start asks this of every record before anything is compiled: a buffer takes a fraction of what a {@link
     * MemorySegment} takes of the compiler.
     *
     * @param payload in little-endian order
     */
    static int wellFormedBytes(ByteBuffer payload, int offset) {
        int room = payload.limit() - offset - HEADER_BYTES;
        if (room < 0 || !RecordType.isKnown(payload.get(offset))) {
            return -1;
        }
        int key = payload.getInt(offset + KEY_LENGTH);
        int prefix = payload.getInt(offset + PREFIX_LENGTH);
        int body = payload.getInt(offset + BODY_LENGTH);
        return key >= 0 && key <= prefix && prefix <= body && body <= room ? HEADER_BYTES + body : -1;
    }

    public RecordType type() {
        return RecordType.of(memory.get(ValueLayout.JAVA_BYTE, offset));
    }

    /** The kind of row; 0 of a change. */
    public int rowType() {
        return Short.toUnsignedInt(memory.get(SHORT, offset + ROW_TYPE));
    }

    public int sub() {
        return memory.get(INT, offset + SUB);
    }

    public long revision() {
        return memory.get(LONG, offset + REVISION);
    }

    /** The revision at which the key got what this change replaced; 0 if the key did not exist. */
    public long previousRevision() {
        return memory.get(LONG, offset + PREVIOUS_REVISION);
    }

    /** Place of the record that this change replaced; 0 if the key did not exist. */
    public long previousPlace() {
        return memory.get(LONG, offset + PREVIOUS_PLACE);
    }

    /** Length of the key, or of the id of a row. */
    public int keyLength() {
        return memory.get(INT, offset + KEY_LENGTH);
    }

    /** Length of the body without the value; of a row, that of the id. */
    public int prefixLength() {
        return memory.get(INT, offset + PREFIX_LENGTH);
    }

    public int bodyLength() {
        return memory.get(INT, offset + BODY_LENGTH);
    }

    /** Length of the whole record. */
    public int totalBytes() {
        return HEADER_BYTES + bodyLength();
    }

    /** The memory that holds the body, at {@link #bodyOffset}. */
    public MemorySegment memory() {
        return memory;
    }

    public long bodyOffset() {
        return offset + HEADER_BYTES;
    }

    /** Where the key, or the id of a row, lies in {@link #memory}. */
    public long keyOffset() {
        return bodyOffset() + (type().isChange() ? 1 + Varint.size(keyLength()) : 0);
    }

    /** A copy of the key, or of the id of a row. */
    public byte[] key() {
        return copy(keyOffset(), keyLength());
    }

    /** A copy of the body. */
    public byte[] body() {
        return copy(bodyOffset(), bodyLength());
    }

    /** A copy of what follows the prefix: the content of a row. */
    public byte[] content() {
        int prefix = prefixLength();
        return copy(bodyOffset() + prefix, bodyLength() - prefix);
    }

    private byte[] copy(long start, int length) {
        byte[] bytes = new byte[length];
        MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, start, bytes, 0, length);
        return bytes;
    }
}

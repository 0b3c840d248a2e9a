/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.storage;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The frame under construction: all records of one apply batch, encoded as they will lie on disk. Apply thread only.
 *
 * <p>The place of a record is known as soon as it is added, because a frame is written where it was begun:
 *
 * <pre>
 *   place = id of the file in the upper 32 bits, offset in the file in the lower 32
 * </pre>
 */
public final class Frame {

    // Tags of mvccpb.KeyValue. The value comes last, so that an answer without values is a prefix of the record.
    private static final byte TAG_KEY = 0x0a;
    private static final byte TAG_CREATE = 0x10;
    private static final byte TAG_MOD = 0x18;
    private static final byte TAG_VERSION = 0x20;
    private static final byte TAG_VALUE = 0x2a;
    private static final byte TAG_LEASE = 0x30;

    /** Most bytes of a tombstone besides its key: the head of the record, two tags, two numbers. */
    public static final int TOMBSTONE_BYTES = StoredRecord.HEADER_BYTES + 1 + 5 + 1 + 10;

    private static final int INITIAL_BYTES = 1 << 20;
    /** A buffer that one large batch has blown up beyond this is given back. */
    static final int RETAINED_BYTES = 8 << 20;
    /** Offsets in a frame are ints. A batch beyond it stops the member; who makes batches has to keep far below. */
    private static final int MAX_BYTES = Integer.MAX_VALUE - 64;

    private final int maxBytes;
    private final CRC32C crc = new CRC32C();
    private ByteBuffer buffer = allocate(INITIAL_BYTES);
    /**
     * Holds a large buffer. It is not counted against the limit of direct memory, which follows the heap: a batch has to be
     * applied whatever the heap is.
     */
    private @Nullable Arena memory;

    private int length = FrameFormat.HEADER_BYTES;
    private int count;
    private long base;
    private long rowBytes;
    private long resetPlace;

    Frame() {
        this(MAX_BYTES);
    }

    Frame(int maxBytes) {
        this.maxBytes = maxBytes;
    }

    /** Forgets the records and begins anew at a place. */
    void reset(long newBase) {
        release();
        base = newBase;
        length = FrameFormat.HEADER_BYTES;
        count = 0;
        rowBytes = 0;
        resetPlace = 0;
    }

    /** Gives memory back that a large batch has taken; its records are not there any more. */
    void release() {
        Arena large = memory;
        if (large != null) {
            memory = null;
            buffer = allocate(INITIAL_BYTES);
            large.close();
        }
    }

    /** Bytes of records that are not changes. */
    long rowBytes() {
        return rowBytes;
    }

    /** Place of the last reset of the rows in this frame, 0 if there is none. */
    long resetPlace() {
        return resetPlace;
    }

    /** Place of the frame itself. */
    long base() {
        return base;
    }

    int capacity() {
        return buffer.capacity();
    }

    public int count() {
        return count;
    }

    /** Length of header and records in bytes. */
    public int length() {
        return length;
    }

    /** Place that the next record will have. */
    public long nextPlace() {
        return base + length;
    }

    /** Whether the record of a place lies in this frame, that is, not yet on disk. */
    public boolean contains(long place) {
        return place >= base && place < base + length;
    }

    /** A copy of a record of this frame. */
    public StoredRecord read(long place) {
        int at = Math.toIntExact(place - base);
        byte[] copy = new byte[StoredRecord.HEADER_BYTES + buffer.getInt(at + StoredRecord.BODY_LENGTH)];
        buffer.get(at, copy);
        return new StoredRecord(MemorySegment.ofArray(copy), 0);
    }

    /** A copy of the body of a record of this frame. */
    public byte[] body(long place) {
        int at = Math.toIntExact(place - base);
        byte[] copy = new byte[buffer.getInt(at + StoredRecord.BODY_LENGTH)];
        buffer.get(at + StoredRecord.HEADER_BYTES, copy);
        return copy;
    }

    /** Adds the record of a put; the value's position is left as it was. */
    public void put(RecordFields fields, byte[] key, ByteBuffer value) {
        int valueLength = value.remaining();
        int prefix = 1
                + Varint.size(key.length)
                + key.length
                + (1 + Varint.size(fields.createRevision))
                + (1 + Varint.size(fields.revision))
                + (1 + Varint.size(fields.version))
                + (fields.lease == 0 ? 0 : 1 + Varint.size(fields.lease));
        int body = Math.addExact(prefix, valueLength == 0 ? 0 : 1 + Varint.size(valueLength) + valueLength);
        int at = header(RecordType.PUT, key.length, prefix, body);
        change(fields);
        at = keyField(at, key);
        at = numberField(at, TAG_CREATE, fields.createRevision);
        at = numberField(at, TAG_MOD, fields.revision);
        at = numberField(at, TAG_VERSION, fields.version);
        if (fields.lease != 0) {
            at = numberField(at, TAG_LEASE, fields.lease);
        }
        if (valueLength != 0) {
            at = numberField(at, TAG_VALUE, valueLength);
            buffer.put(at, value, value.position(), valueLength);
        }
        added(body);
    }

    /** Adds the record of a deleted key. */
    public void tombstone(RecordFields fields, byte[] key) {
        int body = 1 + Varint.size(key.length) + key.length + 1 + Varint.size(fields.revision);
        int at = header(RecordType.TOMBSTONE, key.length, body, body);
        change(fields);
        at = keyField(at, key);
        numberField(at, TAG_MOD, fields.revision);
        added(body);
    }

    /** Adds a row of small state; {@code content} null removes it. */
    public void row(int rowType, byte[] id, byte @Nullable [] content) {
        int contentLength = content == null ? 0 : content.length;
        int body = Math.addExact(id.length, contentLength);
        RecordType type = content == null ? RecordType.ROW_REMOVED : RecordType.ROW;
        int at = header(type, id.length, id.length, body);
        buffer.putShort(length + StoredRecord.ROW_TYPE, (short) rowType);
        buffer.put(at, id);
        if (content != null) {
            buffer.put(at + id.length, content);
        }
        added(body);
        rowBytes += StoredRecord.HEADER_BYTES + body;
    }

    /** Declares all rows so far void. */
    public void rowsReset() {
        resetPlace = nextPlace();
        header(RecordType.ROWS_RESET, 0, 0, 0);
        added(0);
        rowBytes += StoredRecord.HEADER_BYTES;
    }

    /** Adds a record as it is. */
    void copy(StoredRecord record) {
        int bytes = record.totalBytes();
        ensure(bytes);
        MemorySegment.copy(
                record.memory(),
                record.bodyOffset() - StoredRecord.HEADER_BYTES,
                MemorySegment.ofBuffer(buffer),
                length,
                bytes);
        if (!record.type().isChange()) {
            rowBytes += bytes;
        }
        length += bytes;
        count++;
    }

    /** Completes the header and returns the whole frame, ready to be written. */
    ByteBuffer seal(FrameInfo info, long syncedPosition, long storeId) {
        FrameFormat.writeHeader(
                buffer, new FrameFormat.Header(length - FrameFormat.HEADER_BYTES, count, info, syncedPosition));
        crc.reset();
        FrameFormat.writeChecksums(buffer, length, crc, new FrameFormat.Origin(storeId, base));
        return buffer.duplicate().limit(length).position(0);
    }

    /** Writes the part of a record header that all types have and returns the position of the body. */
    private int header(RecordType type, int keyLength, int prefixLength, int bodyLength) {
        ensure(StoredRecord.HEADER_BYTES + (long) bodyLength);
        int at = length;
        for (int i = 0; i < StoredRecord.KEY_LENGTH; i += Long.BYTES) {
            buffer.putLong(at + i, 0);
        }
        buffer.put(at, type.code());
        buffer.putInt(at + StoredRecord.KEY_LENGTH, keyLength);
        buffer.putInt(at + StoredRecord.PREFIX_LENGTH, prefixLength);
        buffer.putInt(at + StoredRecord.BODY_LENGTH, bodyLength);
        return at + StoredRecord.HEADER_BYTES;
    }

    private void change(RecordFields fields) {
        buffer.putInt(length + StoredRecord.SUB, fields.sub);
        buffer.putLong(length + StoredRecord.REVISION, fields.revision);
        buffer.putLong(length + StoredRecord.PREVIOUS_REVISION, fields.previousRevision);
        buffer.putLong(length + StoredRecord.PREVIOUS_PLACE, fields.previousPlace);
    }

    private int keyField(int position, byte[] key) {
        int at = numberField(position, TAG_KEY, key.length);
        buffer.put(at, key);
        return at + key.length;
    }

    private int numberField(int position, byte tag, long value) {
        buffer.put(position, tag);
        return Varint.write(buffer, position + 1, value);
    }

    private void added(int bodyLength) {
        length += StoredRecord.HEADER_BYTES + bodyLength;
        count++;
    }

    @SuppressWarnings("MustBeClosedChecker") // by release, or when it is outgrown
    private void ensure(long bytes) {
        long needed = length + bytes;
        if (needed <= buffer.capacity()) {
            return;
        }
        if (needed > maxBytes) {
            throw new IllegalStateException("a batch of more than " + maxBytes + " bytes");
        }
        int capacity = (int) Math.min(maxBytes, Math.max(needed, 2L * buffer.capacity()));
        Arena outgrown = memory;
        memory = capacity > RETAINED_BYTES ? Arena.ofShared() : null;
        ByteBuffer larger = memory == null
                ? allocate(capacity)
                : memory.allocate(capacity).asByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
        larger.put(0, buffer, 0, length);
        buffer = larger;
        if (outgrown != null) {
            outgrown.close();
        }
    }

    private static ByteBuffer allocate(int bytes) {
        return ByteBuffer.allocateDirect(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }
}

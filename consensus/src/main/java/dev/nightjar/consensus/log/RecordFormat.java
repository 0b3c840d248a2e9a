/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.consensus.log;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * How an entry lies in a segment. All numbers are big-endian.
 *
 * <pre>
 *   0  length   4 bytes   of everything from index on
 *   4  crc32c   4 bytes   of length and of everything from index on
 *   8  index    8 bytes
 *  16  term     8 bytes
 *  24  group    4 bytes   offset in this file of the first record of the group
 *  28  type     1 byte
 *  29  payload
 * </pre>
 *
 * A group is what was written and synced in one go. The next group is written only after the sync of the one before has
 * returned. So a record of a later group proves that everything before it had reached the disk, while a record of the same
 * group proves nothing: pages of one write reach the disk in any order.
 */
final class RecordFormat {
    /** Bytes before the payload. */
    static final int HEADER_BYTES = 29;

    /** Bytes that {@code length} and {@code crc32c} take. */
    static final int PREFIX_BYTES = 8;

    /** The largest payload; keeps a damaged length from asking for absurd memory. */
    static final int MAX_PAYLOAD_BYTES = 128 << 20;

    private static final int BODY_BYTES = HEADER_BYTES - PREFIX_BYTES;

    private RecordFormat() {}

    /** Bytes that a record with this payload takes. */
    static int sizeOf(int payloadBytes) {
        return HEADER_BYTES + payloadBytes;
    }

    /** Whether a record can have this length field. */
    static boolean isPossibleLength(int length) {
        return length >= BODY_BYTES && length <= BODY_BYTES + MAX_PAYLOAD_BYTES;
    }

    /** Appends the bytes of a record that come before its payload. */
    static void encodeHeader(LogRecord entry, int group, ByteBuffer target) {
        int start = target.position();
        target.putInt(BODY_BYTES + entry.payload().remaining()).putInt(0);
        target.putLong(entry.index()).putLong(entry.term()).putInt(group).put(entry.type());
        CRC32C crc = new CRC32C();
        crc.update(target.slice(start, 4));
        crc.update(target.slice(start + PREFIX_BYTES, BODY_BYTES));
        crc.update(entry.payload().duplicate());
        target.putInt(start + 4, (int) crc.getValue());
    }

    /** The checksum of the record at {@code start}, whose bytes are all in the buffer. */
    static int checksum(ByteBuffer buffer, int start, int length) {
        CRC32C crc = new CRC32C();
        crc.update(buffer.slice(start, 4));
        crc.update(buffer.slice(start + PREFIX_BYTES, length));
        return (int) crc.getValue();
    }

    /** Whether the record at {@code start}, whose bytes are all in the buffer, is whole. */
    static boolean isWhole(ByteBuffer buffer, int start) {
        return buffer.getInt(start + 4) == checksum(buffer, start, buffer.getInt(start));
    }

    static long indexAt(ByteBuffer buffer, int start) {
        return buffer.getLong(start + 8);
    }

    static long termAt(ByteBuffer buffer, int start) {
        return buffer.getLong(start + 16);
    }

    static int groupAt(ByteBuffer buffer, int start) {
        return buffer.getInt(start + 24);
    }

    static byte typeAt(ByteBuffer buffer, int start) {
        return buffer.get(start + 28);
    }

    /** The record at {@code start}; its payload is a view of the buffer. */
    static LogRecord decode(ByteBuffer buffer, int start) {
        int payload = buffer.getInt(start) - BODY_BYTES;
        return new LogRecord(
                indexAt(buffer, start),
                termAt(buffer, start),
                typeAt(buffer, start),
                buffer.slice(start + HEADER_BYTES, payload));
    }
}

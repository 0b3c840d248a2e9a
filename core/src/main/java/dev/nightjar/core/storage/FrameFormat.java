/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.storage;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of a frame; stateless.
 *
 * <pre>
 *   0  magic (4)            4  CRC32C of origin and bytes 8..63 (4)
 *   8  payload length (4)  12  number of records (4)
 *  16  CRC32C of the payload (4)                    20  zero (4)
 *  24  applied index (8)   32  applied term (8)     40  last main revision (8)
 *  48  compacted revision (8)                       56  synced position (8)
 *  64  payload: the records
 * </pre>
 *
 * The <i>origin</i> is the id of the store and the place of the frame. It is part of the checksum but not written, so
 * that neither an old frame in a reused block nor a value in which a client wrote the image of a frame passes for one.
 *
 * <p>The <i>synced position</i> says how far the log was durable when the frame was written. Recovery needs it to tell
 * what a power loss may do (lose, in any order, what was not synced) from what only damage can do.
 */
final class FrameFormat {

    static final int HEADER_BYTES = 64;

    private static final int MAGIC = 0x4d52464e;
    private static final int HEADER_CRC = 4;
    private static final int LENGTH = 8;
    private static final int COUNT = 12;
    private static final int PAYLOAD_CRC = 16;
    private static final int ZERO = 20;
    private static final int APPLIED_INDEX = 24;
    private static final int APPLIED_TERM = 32;
    private static final int REVISION = 40;
    private static final int COMPACTED = 48;
    private static final int SYNCED = 56;

    private FrameFormat() {}

    /** The written header. */
    record Header(int payloadLength, int count, FrameInfo info, long syncedPosition) {
        long totalBytes() {
            return HEADER_BYTES + (long) payloadLength;
        }
    }

    /** What a frame belongs to. */
    record Origin(long storeId, long place) {
        private void feed(CRC32C crc) {
            ByteBuffer bytes = ByteBuffer.allocate(2 * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
            crc.update(bytes.putLong(storeId).putLong(place).flip());
        }
    }

    static void writeHeader(ByteBuffer target, Header header) {
        target.putInt(0, MAGIC);
        target.putInt(LENGTH, header.payloadLength);
        target.putInt(COUNT, header.count);
        target.putInt(ZERO, 0);
        target.putLong(APPLIED_INDEX, header.info.appliedIndex());
        target.putLong(APPLIED_TERM, header.info.appliedTerm());
        target.putLong(REVISION, header.info.revision());
        target.putLong(COMPACTED, header.info.compactedRevision());
        target.putLong(SYNCED, header.syncedPosition);
    }

    static void writeChecksums(ByteBuffer target, int length, CRC32C crc, Origin origin) {
        crc.update(target.duplicate().limit(length).position(HEADER_BYTES));
        target.putInt(PAYLOAD_CRC, (int) crc.getValue());
        crc.reset();
        origin.feed(crc);
        crc.update(target.duplicate().limit(HEADER_BYTES).position(LENGTH));
        target.putInt(HEADER_CRC, (int) crc.getValue());
    }

    /** The header at an offset, null if there is none that is whole and of this origin. */
    static @Nullable Header readHeader(MemorySegment memory, long offset, Origin origin) {
        if (memory.byteSize() - offset < HEADER_BYTES || memory.get(StoredRecord.INT, offset) != MAGIC) {
            return null;
        }
        CRC32C crc = new CRC32C();
        origin.feed(crc);
        crc.update(memory.asSlice(offset + LENGTH, HEADER_BYTES - LENGTH).asByteBuffer());
        if (memory.get(StoredRecord.INT, offset + HEADER_CRC) != (int) crc.getValue()) {
            return null;
        }
        int length = memory.get(StoredRecord.INT, offset + LENGTH);
        int count = memory.get(StoredRecord.INT, offset + COUNT);
        if (length < 0 || count < 0) {
            return null;
        }
        return new Header(length, count, info(memory, offset), memory.get(StoredRecord.LONG, offset + SYNCED));
    }

    /** Whether the payload behind a valid header is whole: checksum, and records that fill it exactly. */
    static boolean isPayloadValid(MemorySegment memory, long offset, Header header) {
        return isPayloadValid(memory, offset, header, false);
    }

    /** @param known whether the same bytes have been found well-formed before, so that the checksum says all */
    static boolean isPayloadValid(MemorySegment memory, long offset, Header header, boolean known) {
        if (offset + header.totalBytes() > memory.byteSize()) {
            return false;
        }
        CRC32C crc = new CRC32C();
        ByteBuffer payload = memory.asSlice(offset + HEADER_BYTES, header.payloadLength)
                .asByteBuffer()
                .order(ByteOrder.LITTLE_ENDIAN);
        crc.update(payload);
        return memory.get(StoredRecord.INT, offset + PAYLOAD_CRC) == (int) crc.getValue()
                && (known || isFilled(payload, header.count));
    }

    /** Whether so many records fill a payload exactly. */
    private static boolean isFilled(ByteBuffer payload, int count) {
        int at = 0;
        for (int i = 0; i < count; i++) {
            int bytes = StoredRecord.wellFormedBytes(payload, at);
            if (bytes < 0) {
                return false;
            }
            at += bytes;
        }
        return at == payload.limit();
    }

    // The following read a frame that has been checked or that this process wrote.

    static long end(MemorySegment memory, long offset) {
        return offset + HEADER_BYTES + memory.get(StoredRecord.INT, offset + LENGTH);
    }

    static FrameInfo info(MemorySegment memory, long offset) {
        return new FrameInfo(
                memory.get(StoredRecord.LONG, offset + APPLIED_INDEX),
                memory.get(StoredRecord.LONG, offset + APPLIED_TERM),
                memory.get(StoredRecord.LONG, offset + REVISION),
                memory.get(StoredRecord.LONG, offset + COMPACTED));
    }

    static long lastRevision(MemorySegment memory, long offset) {
        return memory.get(StoredRecord.LONG, offset + REVISION);
    }
}

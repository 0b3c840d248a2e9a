/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.storage;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The start of a segment file.
 *
 * <pre>
 *   0  magic (8)            8  format version (4)     12  CRC32C of all other bytes (4)
 *  16  store id (8)        24  file id (4)            28  first sequence (4)     32  last sequence (4)
 *  36  length (4)          40  length of the segment before (8)
 *  48  synced position (8)                            56  clean revision (8)
 *  64  applied index, term, revision, compacted revision before the first frame (4 × 8)
 * </pre>
 *
 * @param storeId random name of the log
 * @param fileId name of the file within the log, never used again
 * @param firstSequence position of the segment in the log, from 1
 * @param lastSequence the same, but for a packed file that has taken over several segments
 * @param length length of a packed file, 0 of one that grows
 * @param previousLength end of the segment before, as far as that is not packed; 0 for the first
 * @param syncedPosition how far the log was durable when the segment was created
 * @param cleanRevision no record is in the file that a change at or below it has superseded
 * @param before the state before the first frame
 */
record SegmentHeader(
        long storeId,
        int fileId,
        int firstSequence,
        int lastSequence,
        long length,
        long previousLength,
        long syncedPosition,
        long cleanRevision,
        FrameInfo before) {

    static final int BYTES = 96;
    static final int FORMAT_VERSION = 1;
    static final int FIRST_SEQUENCE = 1;

    private static final long MAGIC = 0x1a0a0d4745534a4eL; // NJSEG, CR, LF, SUB
    private static final int VERSION = 8;
    private static final int CRC = 12;
    private static final int STORE_ID = 16;
    private static final int FILE_ID = 24;
    private static final int FIRST = 28;
    private static final int LAST = 32;
    private static final int LENGTH = 36;
    private static final int PREVIOUS_LENGTH = 40;
    private static final int SYNCED = 48;
    private static final int CLEAN = 56;
    private static final int BEFORE = 64;

    /** The header of the first segment of a fresh log. */
    static SegmentHeader first(long storeId) {
        return new SegmentHeader(storeId, 1, FIRST_SEQUENCE, FIRST_SEQUENCE, 0, 0, 0, 0, FrameInfo.FRESH);
    }

    /** The header of the segment that follows one which has come to its end. */
    static SegmentHeader after(Segment segment, int fileId, FrameInfo last, long syncedPosition) {
        SegmentHeader header = segment.header();
        int sequence = Math.incrementExact(header.lastSequence);
        return new SegmentHeader(
                header.storeId, fileId, sequence, sequence, 0, segment.end(), syncedPosition, last.revision(), last);
    }

    /**
     * The header of the file that takes the place of some adjacent segments; its length is not known yet.
     *
     * @param cleanRevision what the owner had forgotten before the first record was copied
     */
    static SegmentHeader packed(SegmentHeader first, SegmentHeader last, int fileId, long cleanRevision) {
        return new SegmentHeader(
                first.storeId,
                fileId,
                first.firstSequence,
                last.lastSequence,
                BYTES,
                first.previousLength,
                last.syncedPosition,
                cleanRevision,
                first.before);
    }

    SegmentHeader withLength(long knownLength) {
        return new SegmentHeader(
                storeId,
                fileId,
                firstSequence,
                lastSequence,
                knownLength,
                previousLength,
                syncedPosition,
                cleanRevision,
                before);
    }

    /** First main revision that the segment can hold. */
    long firstRevision() {
        return before.revision() + 1;
    }

    boolean isPacked() {
        return length != 0;
    }

    ByteBuffer encode() {
        ByteBuffer bytes = ByteBuffer.allocateDirect(BYTES).order(ByteOrder.LITTLE_ENDIAN);
        bytes.putLong(0, MAGIC).putInt(VERSION, FORMAT_VERSION).putLong(STORE_ID, storeId);
        bytes.putInt(FILE_ID, fileId).putInt(FIRST, firstSequence).putInt(LAST, lastSequence);
        bytes.putInt(LENGTH, (int) length);
        bytes.putLong(PREVIOUS_LENGTH, previousLength).putLong(SYNCED, syncedPosition);
        bytes.putLong(CLEAN, cleanRevision);
        bytes.putLong(BEFORE, before.appliedIndex()).putLong(BEFORE + 8, before.appliedTerm());
        bytes.putLong(BEFORE + 16, before.revision()).putLong(BEFORE + 24, before.compactedRevision());
        return bytes.putInt(CRC, crc(bytes));
    }

    /**
     * Reads the header of a file, null if it is damaged or was never written.
     *
     * @throws IOException if a newer version wrote the file
     */
    static @Nullable SegmentHeader decode(MemorySegment memory, Path path) throws IOException {
        if (memory.byteSize() < BYTES || memory.get(StoredRecord.LONG, 0) != MAGIC) {
            return null;
        }
        ByteBuffer bytes = memory.asSlice(0, BYTES).asByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
        if (bytes.getInt(CRC) != crc(bytes)) {
            return null;
        }
        int version = bytes.getInt(VERSION);
        if (version != FORMAT_VERSION) {
            throw new IOException(path + " has segment format " + version + "; this version reads format "
                    + FORMAT_VERSION + " only");
        }
        return new SegmentHeader(
                bytes.getLong(STORE_ID),
                bytes.getInt(FILE_ID),
                bytes.getInt(FIRST),
                bytes.getInt(LAST),
                Integer.toUnsignedLong(bytes.getInt(LENGTH)),
                bytes.getLong(PREVIOUS_LENGTH),
                bytes.getLong(SYNCED),
                bytes.getLong(CLEAN),
                new FrameInfo(
                        bytes.getLong(BEFORE),
                        bytes.getLong(BEFORE + 8),
                        bytes.getLong(BEFORE + 16),
                        bytes.getLong(BEFORE + 24)));
    }

    private static int crc(ByteBuffer bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes.duplicate().limit(CRC).position(0));
        crc.update(bytes.duplicate().limit(BYTES).position(STORE_ID));
        return (int) crc.getValue();
    }
}

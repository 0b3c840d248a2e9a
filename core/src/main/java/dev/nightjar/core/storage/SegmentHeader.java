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
 *  16  store id (8)        24  sequence (4)           28  generation (4)
 *  32  length of the segment before (8)               40  synced place (8)
 *  48  applied index, term, revision, compacted revision before the first frame (4 × 8)
 * </pre>
 *
 * @param storeId random name of the log
 * @param sequence position in the log, from 1
 * @param generation how often the segment has been rewritten
 * @param previousLength end of the segment before, 0 for the first
 * @param syncedPlace how far the log was durable when the segment was created
 * @param before the state before the first frame
 */
record SegmentHeader(
        long storeId, int sequence, int generation, long previousLength, long syncedPlace, FrameInfo before) {

    static final int BYTES = 80;
    static final int FORMAT_VERSION = 1;
    static final int FIRST_SEQUENCE = 1;

    private static final long MAGIC = 0x1a0a0d4745534a4eL; // NJSEG, CR, LF, SUB
    private static final int VERSION = 8;
    private static final int CRC = 12;
    private static final int STORE_ID = 16;
    private static final int SEQUENCE = 24;
    private static final int GENERATION = 28;
    private static final int PREVIOUS_LENGTH = 32;
    private static final int SYNCED = 40;
    private static final int BEFORE = 48;

    /** The header of the segment that follows one which has come to its end. */
    static SegmentHeader after(Segment segment, FrameInfo last, long syncedPlace) {
        SegmentHeader header = segment.header();
        if (header.sequence == Place.MAX_SEQUENCE) {
            throw new IllegalStateException("the log has used up its segment numbers");
        }
        return new SegmentHeader(header.storeId, header.sequence + 1, 0, segment.end(), syncedPlace, last);
    }

    /** First main revision that the segment can hold. */
    long firstRevision() {
        return before.revision() + 1;
    }

    int key() {
        return Place.segmentKey(sequence, generation);
    }

    ByteBuffer encode() {
        ByteBuffer bytes = ByteBuffer.allocateDirect(BYTES).order(ByteOrder.LITTLE_ENDIAN);
        bytes.putLong(0, MAGIC).putInt(VERSION, FORMAT_VERSION).putLong(STORE_ID, storeId);
        bytes.putInt(SEQUENCE, sequence).putInt(GENERATION, generation);
        bytes.putLong(PREVIOUS_LENGTH, previousLength).putLong(SYNCED, syncedPlace);
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
        int version = memory.get(StoredRecord.INT, VERSION);
        ByteBuffer bytes = memory.asSlice(0, BYTES).asByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
        if (bytes.getInt(CRC) != crc(bytes)) {
            return null;
        }
        if (version != FORMAT_VERSION) {
            throw new IOException(path + " has segment format " + version + "; this version reads format "
                    + FORMAT_VERSION + " only");
        }
        FrameInfo before = new FrameInfo(
                bytes.getLong(BEFORE),
                bytes.getLong(BEFORE + 8),
                bytes.getLong(BEFORE + 16),
                bytes.getLong(BEFORE + 24));
        return new SegmentHeader(
                bytes.getLong(STORE_ID),
                bytes.getInt(SEQUENCE),
                bytes.getInt(GENERATION),
                bytes.getLong(PREVIOUS_LENGTH),
                bytes.getLong(SYNCED),
                before);
    }

    private static int crc(ByteBuffer bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes.duplicate().limit(CRC).position(0));
        crc.update(bytes.duplicate().limit(BYTES).position(STORE_ID));
        return (int) crc.getValue();
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.consensus.log;

import dev.nightjar.consensus.LogCorruptException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.zip.CRC32C;

/**
 * The first bytes of a segment, durable before the file gets its name.
 *
 * @param generation how often the log had been reset when the segment was made
 * @param firstIndex the index of the first record
 */
record SegmentHeader(long generation, long firstIndex) {
    static final int BYTES = 32;

    private static final long MAGIC = 0x4e4a_5241_4654_4c47L; // "NJRAFTLG"
    private static final int VERSION = 1;
    private static final String PREFIX = "log-";

    /** The name of the segment's file. */
    String fileName() {
        HexFormat hex = HexFormat.of();
        return PREFIX + hex.toHexDigits(generation) + '-' + hex.toHexDigits(firstIndex);
    }

    /** Whether a file is a segment, by its name. */
    static boolean isSegmentName(String name) {
        return name.startsWith(PREFIX);
    }

    ByteBuffer encode() {
        ByteBuffer bytes = ByteBuffer.allocate(BYTES);
        bytes.putLong(MAGIC).putInt(VERSION).putLong(generation).putLong(firstIndex);
        bytes.putInt(checksum(bytes.array()));
        return bytes.flip();
    }

    /** Reads and checks a segment's header. */
    static SegmentHeader read(LogFile file, String describedName) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(BYTES);
        if (file.read(bytes, 0) < BYTES) {
            throw new LogCorruptException(describedName, 0, "the file is shorter than its header");
        }
        bytes.flip();
        if (bytes.getLong() != MAGIC) {
            throw new LogCorruptException(describedName, 0, "not a segment of a consensus log");
        }
        int version = bytes.getInt();
        SegmentHeader header = new SegmentHeader(bytes.getLong(), bytes.getLong());
        if (bytes.getInt() != checksum(bytes.array()) || header.firstIndex < 1 || header.generation < 0) {
            throw new LogCorruptException(describedName, 0, "bad segment header");
        }
        if (version != VERSION) {
            throw new IOException(describedName + " has format version " + version + "; this program reads " + VERSION);
        }
        return header;
    }

    private static int checksum(byte[] bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, 0, BYTES - 4);
        return (int) crc.getValue();
    }
}

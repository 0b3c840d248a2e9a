/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.storage;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/**
 * The layout of an image file; stateless.
 *
 * <pre>
 *   0  magic (8)   8  format version (4)   12  zero (4)
 *  16  chunks, each:  0  payload length (4)   4  CRC32C of what follows and of the store id (4)
 *                     8  kind (4)            12  number of the chunk, from 0 (4)             16  payload
 * </pre>
 *
 * The first chunk is the log's ({@link ImageHead}), the last says that the file is complete ({@link ImageEnd}); those
 * between are the owner's. All numbers are little-endian.
 */
final class ImageFormat {

    static final long MAGIC = 0x1a0a0d5844494a4eL; // NJIDX, CR, LF, SUB
    static final int VERSION = 3;
    static final int FILE_HEADER_BYTES = 16;
    static final int CHUNK_HEADER_BYTES = 16;

    /** Kinds below zero are the log's own. */
    static final int HEAD = -1;

    static final int END = -2;

    static final int LENGTH = 0;
    static final int CRC = 4;
    static final int KIND = 8;
    static final int NUMBER = 12;

    private ImageFormat() {}

    static ByteBuffer allocate(int bytes) {
        return ByteBuffer.allocateDirect(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    static ByteBuffer fileHeader() {
        return allocate(FILE_HEADER_BYTES).putLong(0, MAGIC).putInt(8, VERSION);
    }

    /** The checksum of a chunk that lies in a buffer from 0 to the limit. */
    static int crc(ByteBuffer chunk, long storeId) {
        CRC32C crc = new CRC32C();
        for (int shift = 0; shift < Long.SIZE; shift += Byte.SIZE) {
            crc.update((int) (storeId >>> shift) & 0xff);
        }
        crc.update(chunk.duplicate().position(KIND));
        return (int) crc.getValue();
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.consensus.log;

import java.io.IOException;
import java.nio.ByteBuffer;

/** A view of a file that moves forward with large sequential reads. Owned by the thread that opens the log. */
final class Window {
    private static final int READ_BYTES = 1 << 20;
    private static final ByteBuffer ZEROS = ByteBuffer.allocateDirect(4096);

    private final LogFile file;
    private final long fileSize;
    private ByteBuffer buffer;

    /** The offset in the file of the buffer's first byte. */
    private long start;

    Window(LogFile file) throws IOException {
        this.file = file;
        this.fileSize = file.size();
        this.buffer = ByteBuffer.allocateDirect(READ_BYTES).limit(0);
    }

    long fileSize() {
        return fileSize;
    }

    /** Makes the bytes {@code offset} to {@code offset + bytes} available; false if the file ends before. */
    boolean has(long offset, int bytes) throws IOException {
        if (offset + bytes > fileSize) {
            return false;
        }
        if (offset < start || offset + bytes > start + buffer.limit()) {
            load(offset, bytes);
        }
        return true;
    }

    /** The buffer that holds what {@link #has} was asked for. */
    ByteBuffer buffer() {
        return buffer;
    }

    /** The place of a file offset in {@link #buffer}. */
    int at(long offset) {
        return (int) (offset - start);
    }

    /** Whether there is nothing but zeros from an offset to the end of the file. */
    boolean isZeroFrom(long offset) throws IOException {
        for (long at = offset; at < fileSize; ) {
            has(at, 1);
            int i = at(at);
            int bytes = Math.min(ZEROS.limit(), buffer.limit() - i);
            if (buffer.slice(i, bytes).mismatch(ZEROS.slice(0, bytes)) >= 0) {
                return false;
            }
            at += bytes;
        }
        return true;
    }

    private void load(long offset, int bytes) throws IOException {
        if (bytes > buffer.capacity()) {
            buffer = ByteBuffer.allocateDirect(bytes + READ_BYTES);
        }
        buffer.clear();
        int want = (int) Math.min(buffer.capacity(), fileSize - offset);
        buffer.limit(want);
        int read = file.read(buffer, offset);
        if (read < want) {
            throw new IOException("file shrank while it was read");
        }
        buffer.flip();
        start = offset;
    }
}

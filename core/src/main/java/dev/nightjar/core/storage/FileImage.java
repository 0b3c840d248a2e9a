/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.storage;

import dev.nightjar.core.storage.FileSystem.StoreFile;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * The whole content of one file after the other, read into the same memory unless one is larger. Owned by the thread
 * that made it.
 *
 * <p>For files of which nobody knows yet how far they have been written: unlike a map, reading asks nothing of the disk
 * for the part that never was.
 */
final class FileImage implements AutoCloseable {

    /** One read of the machine's takes less than 2 GiB. */
    private static final long READ_BYTES = 64L << 20;

    private final Arena arena = Arena.ofConfined();
    private MemorySegment memory = MemorySegment.NULL;

    /** The bytes of a file, valid until the next call. */
    MemorySegment read(StoreFile file, Path path) throws IOException {
        long size = file.size();
        if (size > memory.byteSize()) {
            memory = arena.allocate(size, Long.BYTES);
        }
        for (long at = 0; at < size; ) {
            ByteBuffer target =
                    memory.asSlice(at, Math.min(READ_BYTES, size - at)).asByteBuffer();
            int read = file.read(target, at);
            if (read <= 0) {
                throw new IOException(path + " became shorter while it was read");
            }
            at += read;
        }
        return memory.asSlice(0, size);
    }

    @Override
    public void close() {
        arena.close();
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.storage;

import dev.nightjar.core.storage.FileSystem.StoreFile;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Reads one file after the other from front to back through a piece of memory that the processor's cache holds; more only
 * for what is longer. Used by one thread at a time. Like {@link FileImage} it asks nothing of the disk for what was never
 * written.
 */
final class FileWindow implements AutoCloseable {

    private static final long BYTES = 1 << 20;
    /** One read of the machine's takes less than 2 GiB. */
    private static final long READ_BYTES = 64L << 20;

    private final Arena arena = Arena.ofShared();
    private MemorySegment memory = MemorySegment.NULL;
    private @Nullable StoreFile file;
    private Path path = Path.of("");
    private long size;
    private long start;
    private long length;

    /** From now on reads this file. */
    void open(StoreFile newFile, Path newPath) throws IOException {
        file = newFile;
        path = newPath;
        size = newFile.size();
        start = 0;
        length = 0;
    }

    /** Bytes of the file. */
    long size() {
        return size;
    }

    /** What the file has from an offset on: at least so many bytes, unless it ends before. Valid until the next call. */
    MemorySegment at(long offset, long bytes) throws IOException {
        long wanted = Math.min(bytes, size - offset);
        if (offset < start || offset + wanted > start + length) {
            fill(offset, Math.min(Math.max(wanted, BYTES), size - offset));
        }
        return memory.asSlice(offset - start, start + length - offset);
    }

    private void fill(long offset, long bytes) throws IOException {
        if (file == null) {
            throw new IllegalStateException("no file");
        }
        if (bytes > memory.byteSize()) {
            memory = arena.allocate(Math.max(bytes, 2 * memory.byteSize()), Long.BYTES);
        }
        start = offset;
        length = 0;
        while (length < bytes) {
            int read = file.read(
                    memory.asSlice(length, Math.min(READ_BYTES, bytes - length)).asByteBuffer(), offset + length);
            if (read <= 0) {
                throw new IOException(path + " became shorter while it was read");
            }
            length += read;
        }
    }

    @Override
    public void close() {
        arena.close();
    }
}

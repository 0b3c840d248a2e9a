/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.storage;

import dev.nightjar.core.storage.FileSystem.StoreFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Reads an image from front to back, checking every byte. One thread. */
public final class ImageReader implements AutoCloseable {

    private final StoreFile file;
    private final Path path;
    private final long size;
    private final ImageHead head;
    private final ImageEnd end;
    private ByteBuffer buffer = ImageFormat.allocate(1 << 20);
    private long offset;
    private int number;
    private int kind;

    private ImageReader(StoreFile file, Path path) throws IOException {
        this.file = file;
        this.path = path;
        this.size = file.size();
        ByteBuffer start = read(0, ImageFormat.FILE_HEADER_BYTES);
        if (start.getLong(0) != ImageFormat.MAGIC || start.getInt(Long.BYTES) != ImageFormat.VERSION) {
            throw new CorruptStoreException(path, 0, "not an index image of this version");
        }
        offset = ImageFormat.FILE_HEADER_BYTES;
        // The head names the store, which is part of every checksum, its own too.
        ByteBuffer chunk = readChunk();
        ImageHead decoded = ImageHead.decode(chunk.position(ImageFormat.CHUNK_HEADER_BYTES));
        check(chunk, decoded.storeId(), ImageFormat.HEAD);
        this.head = decoded;
        long behindHead = offset;
        offset = size - ImageFormat.CHUNK_HEADER_BYTES - ImageEnd.BYTES;
        ByteBuffer last = readChunk();
        number = last.getInt(ImageFormat.NUMBER);
        check(last, head.storeId(), ImageFormat.END);
        this.end = ImageEnd.decode(last.position(ImageFormat.CHUNK_HEADER_BYTES));
        offset = behindHead;
        number = 1;
    }

    /**
     * Opens an image.
     *
     * @throws CorruptStoreException if head or end are not those of an image
     */
    static ImageReader open(FileSystem files, Path path) throws IOException {
        StoreFile file = files.open(path, false);
        ImageReader reader = null;
        try {
            reader = new ImageReader(file, path);
            return reader;
        } catch (IndexOutOfBoundsException | java.nio.BufferUnderflowException e) {
            throw new CorruptStoreException(path, 0, "the head does not fit its length");
        } finally {
            if (reader == null) {
                file.close();
            }
        }
    }

    ImageHead head() {
        return head;
    }

    ImageEnd end() {
        return end;
    }

    /** The image holds nothing that a change at or below this revision has superseded. */
    public long forgottenRevision() {
        return head.forgottenRevision();
    }

    /** Newest revision that the image is sure to hold. */
    public long revision() {
        return head.revision();
    }

    /** Size of the file. */
    public long sizeBytes() {
        return size;
    }

    /**
     * The payload of the owner's next chunk, from position to limit, valid until the next call; null behind the last.
     *
     * @throws CorruptStoreException if it is not what was written
     */
    public @Nullable ByteBuffer next() throws IOException {
        ByteBuffer chunk = readChunk();
        int next = chunk.getInt(ImageFormat.KIND);
        check(chunk, head.storeId(), next);
        number++;
        if (next == ImageFormat.END) {
            return null;
        }
        kind = next;
        return chunk.position(ImageFormat.CHUNK_HEADER_BYTES);
    }

    /** The kind of the chunk that {@link #next} returned. */
    public int kind() {
        return kind;
    }

    /** An exception that says where in the file the reader is. */
    public CorruptStoreException damaged(String what) {
        return new CorruptStoreException(path, offset, what);
    }

    private void check(ByteBuffer chunk, long storeId, int wantedKind) throws CorruptStoreException {
        if (chunk.getInt(ImageFormat.CRC) != ImageFormat.crc(chunk.position(0), storeId)
                || chunk.getInt(ImageFormat.KIND) != wantedKind
                || chunk.getInt(ImageFormat.NUMBER) != number) {
            throw damaged("a chunk does not match its checksum");
        }
    }

    private ByteBuffer readChunk() throws IOException {
        ByteBuffer start = read(offset, ImageFormat.CHUNK_HEADER_BYTES);
        long length = Integer.toUnsignedLong(start.getInt(ImageFormat.LENGTH)) + ImageFormat.CHUNK_HEADER_BYTES;
        if (length > Math.min(size - offset, Integer.MAX_VALUE)) {
            throw damaged("a chunk is longer than the file");
        }
        ByteBuffer chunk = read(offset, (int) length);
        offset += length;
        return chunk;
    }

    private ByteBuffer read(long from, int length) throws IOException {
        if (from < 0 || from + length > size) {
            throw new CorruptStoreException(path, Math.max(from, 0), "the file is too short");
        }
        if (length > buffer.capacity()) {
            buffer = ImageFormat.allocate(Math.max(length, 2 * buffer.capacity()));
        }
        buffer.clear().limit(length);
        while (buffer.hasRemaining()) {
            if (file.read(buffer, from + buffer.position()) <= 0) {
                throw new IOException(path + " became shorter while it was read");
            }
        }
        return buffer.flip();
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.storage;

import dev.nightjar.core.storage.FileSystem.StoreFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * Writes an image under a temporary name; {@link #finish} makes it count. Maintenance thread.
 *
 * <p>The owner writes chunks of its memory as it is, one after the other, while the log goes on. What it writes may
 * therefore be newer than the position in the head, never older; and it must be in the log when {@link #finish} is
 * called.
 */
public final class ImageWriter {

    private final SegmentLog log;
    private final Images images;
    private final Path path;
    private final StoreFile file;
    private final ImageHead head;
    private final ByteBuffer header = ImageFormat.allocate(ImageFormat.CHUNK_HEADER_BYTES);
    private ByteBuffer chunk = ImageFormat.allocate(1 << 20);
    private long end;
    private int number;

    ImageWriter(SegmentLog log, Images images, Path path, ImageHead head) throws IOException {
        this.log = log;
        this.images = images;
        this.path = path;
        this.head = head;
        FileSystem files = log.options().files();
        if (files.exists(path)) {
            files.delete(path);
        }
        this.file = files.open(path, true);
        boolean begun = false;
        try {
            Segment.writeFully(file, ImageFormat.fileHeader(), 0);
            end = ImageFormat.FILE_HEADER_BYTES;
            write(ImageFormat.HEAD, head.encode());
            begun = true;
        } finally {
            if (!begun) {
                abandon();
            }
        }
    }

    /**
     * Adds a chunk.
     *
     * @param kind of the owner's choice, not negative
     * @param payload from position to limit; used up
     */
    public void write(int kind, ByteBuffer payload) throws IOException {
        int length = payload.remaining();
        if (length > chunk.capacity() - header.capacity()) {
            chunk = ImageFormat.allocate(Math.addExact(Math.max(length, 2 * chunk.capacity()), header.capacity()));
        }
        chunk.clear();
        chunk.putInt(length).putInt(0).putInt(kind).putInt(number).put(payload).flip();
        chunk.putInt(ImageFormat.CRC, ImageFormat.crc(chunk, head.storeId()));
        Segment.writeFully(file, chunk, end);
        end += chunk.limit();
        number++;
    }

    /** Makes the log durable, completes the file and lets it take the place of the image before. */
    public void finish() throws IOException {
        write(ImageFormat.END, log.syncForImage().encode());
        file.sync();
        file.close();
        images.install(path, head, end);
    }

    /** Gives up. */
    public void abandon() throws IOException {
        file.close();
        log.options().files().delete(path);
    }
}

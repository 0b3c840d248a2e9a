/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufInputStream;
import io.netty.buffer.ByteBufOutputStream;
import java.io.IOException;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;

/** Compression of single messages. Stateless; runs on the caller's thread. */
final class Gzip {

    /** Smaller messages grow by compression, or save less than it costs. */
    static final int MIN_BYTES = 512;

    private Gzip() {}

    /**
     * Decompresses a message.
     *
     * @return a new buffer, or null if the message would be larger than {@code maxBytes}
     * @throws IOException if the bytes are not gzip
     */
    static @Nullable ByteBuf inflate(ByteBuf compressed, ByteBufAllocator alloc, int maxBytes) throws IOException {
        ByteBuf out = alloc.directBuffer(Math.min(maxBytes, Math.max(256, compressed.readableBytes() * 4)));
        boolean whole = false;
        try (var in = new GZIPInputStream(new ByteBufInputStream(compressed.duplicate()))) {
            byte[] chunk = new byte[8192];
            for (int n = in.read(chunk); n >= 0; n = in.read(chunk)) {
                if (n > maxBytes - out.readableBytes()) {
                    return null;
                }
                out.writeBytes(chunk, 0, n);
            }
            whole = true;
            return out;
        } finally {
            if (!whole) {
                out.release();
            }
        }
    }

    /**
     * Compresses each large message of a buffer of framed messages that is not compressed yet; takes the buffer over and
     * returns another one.
     */
    static ByteBuf deflateFrames(ByteBuf framed, ByteBufAllocator alloc) {
        ByteBuf out = alloc.directBuffer(framed.readableBytes() / 2 + 64);
        try {
            while (framed.readableBytes() >= MessageAssembler.PREFIX_BYTES) {
                int length = framed.getInt(framed.readerIndex() + 1);
                if (length < MIN_BYTES || framed.getByte(framed.readerIndex()) != 0) {
                    out.writeBytes(framed, MessageAssembler.PREFIX_BYTES + length);
                } else {
                    framed.skipBytes(MessageAssembler.PREFIX_BYTES);
                    deflate(framed.readSlice(length), out);
                }
            }
            return out;
        } catch (IOException e) {
            out.release();
            throw new IllegalStateException("compressing into memory failed", e);
        } finally {
            framed.release();
        }
    }

    private static void deflate(ByteBuf message, ByteBuf out) throws IOException {
        int start = out.writerIndex();
        out.writeByte(1).writeInt(0);
        try (var gzip = new GZIPOutputStream(new ByteBufOutputStream(out))) {
            message.readBytes(gzip, message.readableBytes());
        }
        out.setInt(start + 1, out.writerIndex() - start - MessageAssembler.PREFIX_BYTES);
    }
}

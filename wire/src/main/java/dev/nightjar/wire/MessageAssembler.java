/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import org.jspecify.annotations.Nullable;

/**
 * Cuts a call's bytes into messages; owned by the call's loop.
 *
 * <p>A message is a flag byte, a length of four bytes and a body, and knows nothing of frames: one frame may hold several
 * messages, and one message may come in many frames. A message that lies in one frame is handed on as a slice of it; only
 * one that does not is copied together. While the sink does not want messages, bytes are kept as they come.
 */
final class MessageAssembler {

    static final int PREFIX_BYTES = 5;

    /** Memory is set aside in advance for a message up to this size; a larger one must first show some of its bytes. */
    private static final int MAX_ADVANCE_BYTES = 64 * 1024;

    /** Where messages go. */
    interface Sink {
        /** Whether a message may be handed on now; asked before each. */
        boolean wantsMessage();

        /** A whole body, borrowed. */
        void onBody(int flag, ByteBuf body);

        /** Checks a prefix as soon as it is known; false ends the call, and nothing more is handed on. */
        boolean admit(int flag, long bodyBytes);
    }

    private final ByteBufAllocator alloc;
    private final Sink sink;
    private @Nullable ByteBuf pending;
    private boolean delivering;
    private boolean dead;

    MessageAssembler(ByteBufAllocator alloc, Sink sink) {
        this.alloc = alloc;
        this.sink = sink;
    }

    /** Bytes kept for later. */
    int pendingBytes() {
        ByteBuf kept = pending;
        return kept == null ? 0 : kept.readableBytes();
    }

    /** Whether a message is being handed on right now. */
    boolean isDelivering() {
        return delivering;
    }

    /** Takes a borrowed buffer's bytes. */
    void accept(ByteBuf data) {
        if (delivering) {
            throw new IllegalStateException("bytes came while a message was being handed on");
        }
        delivering = true;
        try {
            while (data.isReadable() && canDeliver()) {
                if (pending != null) {
                    topUp(pending, data);
                    drain(pending);
                } else if (!deliverFrom(data)) {
                    break;
                }
                dropIfEmpty();
            }
            keep(data);
        } finally {
            delivering = false;
        }
    }

    /** Hands on what was kept, as far as the sink wants it; does nothing while a message is being handed on. */
    void resume() {
        ByteBuf kept = pending;
        if (delivering || kept == null) {
            return;
        }
        delivering = true;
        try {
            drain(kept);
            dropIfEmpty();
        } finally {
            delivering = false;
        }
    }

    /** Drops what was kept and takes nothing more. */
    void close() {
        dead = true;
        if (!delivering) {
            drop();
        }
    }

    private boolean canDeliver() {
        return !dead && sink.wantsMessage();
    }

    private void drain(ByteBuf from) {
        while (from.isReadable() && canDeliver()) {
            if (!deliverFrom(from)) {
                return;
            }
        }
    }

    /** Hands on one message if it is whole; false if it is not. */
    private boolean deliverFrom(ByteBuf from) {
        int start = from.readerIndex();
        int readable = from.readableBytes();
        if (readable < PREFIX_BYTES) {
            return false;
        }
        int flag = from.getUnsignedByte(start);
        long length = from.getUnsignedInt(start + 1);
        if (!sink.admit(flag, length)) {
            dead = true;
            return false;
        }
        if (readable - PREFIX_BYTES < length) {
            return false;
        }
        from.skipBytes(PREFIX_BYTES);
        sink.onBody(flag, from.readSlice((int) length));
        return true;
    }

    /** Moves just the bytes that the first kept message still lacks. */
    private static void topUp(ByteBuf kept, ByteBuf data) {
        int have = kept.readableBytes();
        if (have < PREFIX_BYTES) {
            int n = Math.min(PREFIX_BYTES - have, data.readableBytes());
            kept.writeBytes(data, n);
            have += n;
        }
        if (have >= PREFIX_BYTES) {
            long lacking = PREFIX_BYTES + kept.getUnsignedInt(kept.readerIndex() + 1) - have;
            if (lacking > 0) {
                kept.writeBytes(data, (int) Math.min(lacking, data.readableBytes()));
            }
        }
    }

    private void keep(ByteBuf data) {
        if (dead) {
            drop();
            return;
        }
        if (!data.isReadable()) {
            return;
        }
        ByteBuf kept = pending;
        if (kept == null) {
            kept = alloc.directBuffer(advance(data));
            pending = kept;
        } else if (kept.refCnt() == 1) {
            kept.discardSomeReadBytes();
        }
        kept.writeBytes(data);
    }

    private static int advance(ByteBuf data) {
        int readable = data.readableBytes();
        if (readable < PREFIX_BYTES) {
            return MAX_ADVANCE_BYTES / 16;
        }
        long whole = PREFIX_BYTES + data.getUnsignedInt(data.readerIndex() + 1);
        return (int) Math.max(readable, Math.min(whole, MAX_ADVANCE_BYTES));
    }

    private void dropIfEmpty() {
        ByteBuf kept = pending;
        if (kept != null && (dead || !kept.isReadable())) {
            drop();
        }
    }

    private void drop() {
        ByteBuf kept = pending;
        if (kept != null) {
            pending = null;
            kept.release();
        }
    }
}

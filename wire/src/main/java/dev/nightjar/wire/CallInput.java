/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.wire;

import io.grpc.Status;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http2.Http2Stream;
import java.io.IOException;

/**
 * What the client sends on a call: cut into messages, decompressed, and kept under flow control while nobody wants it.
 * Owned by the call's loop.
 *
 * <p>Nothing is handed on while the handler has stopped reading, or while the call has not begun for want of room.
 */
final class CallInput implements MessageAssembler.Sink {

    private static final Status CUT_OFF = Status.INTERNAL.withDescription("unexpected EOF");
    private static final Status HOLDS_TOO_MUCH =
            Status.RESOURCE_EXHAUSTED.withDescription("too many unfinished requests on this connection");
    private static final Status NOT_COMPRESSED =
            Status.INTERNAL.withDescription("grpc: compressed flag set with identity or empty encoding");

    private final GrpcCall call;
    private final ServerConnection connection;
    private final Http2Stream stream;
    private final MessageAssembler assembler;
    private final boolean gzip;

    private boolean reading = true;
    private boolean waitsForRoom;
    private boolean ended;
    private boolean endTold;

    /** Came in and not given back to the client's window. */
    private int withheldBytes;

    /** Counted on the connection as waiting. */
    private int heldBytes;

    CallInput(GrpcCall call, ServerConnection connection, Http2Stream stream, boolean gzip) {
        this.call = call;
        this.connection = connection;
        this.stream = stream;
        this.gzip = gzip;
        assembler = new MessageAssembler(connection.ctx().alloc(), this);
    }

    /** Hands nothing on until {@link #proceed}. */
    void waitForRoom() {
        waitsForRoom = true;
    }

    /** There is room for the call's answer: it begins. */
    void proceed() {
        waitsForRoom = false;
        resume();
    }

    void read(boolean enabled) {
        if (reading != enabled) {
            reading = enabled;
            resume();
        }
    }

    private void resume() {
        if (isFlowing() && !assembler.isDelivering()) {
            assembler.resume();
            afterInput();
            connection.giveBack(stream, settle(0));
        }
    }

    private boolean isFlowing() {
        return reading && !waitsForRoom;
    }

    /** See {@link StreamOwner#onData}. */
    int onData(ByteBuf data, boolean endOfStream) {
        int bytes = data.readableBytes();
        if (endOfStream) {
            ended = true;
        }
        if (call.isOpen()) {
            assembler.accept(data);
            afterInput();
        }
        return settle(bytes);
    }

    void onHalfClose() {
        ended = true;
        afterInput();
    }

    /** The call has ended: drops what was kept. */
    void close() {
        assembler.close();
        connection.hold(-heldBytes);
        heldBytes = 0;
    }

    /** Counts what is kept, and tells the end of the input when everything before it has been told. */
    private void afterInput() {
        if (!call.isOpen()) {
            return;
        }
        int kept = assembler.pendingBytes();
        boolean fits = connection.hold(kept - heldBytes);
        heldBytes = kept;
        if (!fits) {
            call.fail(HOLDS_TOO_MUCH);
        } else if (ended && !endTold && !assembler.isDelivering()) {
            if (kept == 0) {
                endTold = true;
                call.tell(RawCall.Listener::onHalfClose);
            } else if (isFlowing()) {
                call.fail(CUT_OFF);
            }
        }
    }

    /** How much of what came the client may send again: all but what a paused reader has left lying. */
    private int settle(int newBytes) {
        int total = withheldBytes + newBytes;
        withheldBytes = isFlowing() || !call.isOpen() ? 0 : Math.min(total, assembler.pendingBytes());
        return total - withheldBytes;
    }

    @Override
    public boolean wantsMessage() {
        return isFlowing() && call.isOpen();
    }

    @Override
    public boolean admit(int flag, long bodyBytes) {
        int max = connection.config().limits().maxMessageBytes();
        if (flag > 1) {
            call.fail(Status.INTERNAL.withDescription("grpc: received unexpected payload format " + flag));
        } else if (flag == 1 && !gzip) {
            call.fail(NOT_COMPRESSED);
        } else if (bodyBytes > max) {
            call.fail(Status.RESOURCE_EXHAUSTED.withDescription(
                    "grpc: received message larger than max (" + bodyBytes + " vs. " + max + ")"));
        }
        return call.isOpen();
    }

    @Override
    public void onBody(int flag, ByteBuf body) {
        if (flag == 0) {
            call.deliver(body);
            return;
        }
        int max = connection.config().limits().maxMessageBytes();
        ByteBuf message;
        try {
            message = Gzip.inflate(body, connection.ctx().alloc(), max);
        } catch (IOException e) {
            call.fail(Status.INTERNAL.withDescription(
                    "grpc: failed to decompress the received message: " + e.getMessage()));
            return;
        }
        if (message == null) {
            call.fail(Status.RESOURCE_EXHAUSTED.withDescription(
                    "grpc: received message after decompression larger than max " + max));
            return;
        }
        try {
            call.deliver(message);
        } finally {
            message.release();
        }
    }
}

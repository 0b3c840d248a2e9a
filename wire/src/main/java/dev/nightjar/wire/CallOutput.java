/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.wire;

import io.grpc.Metadata;
import io.grpc.Status;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2Stream;

/**
 * What a call sends to the client, and how much of it is on the way: begins the answer, compresses, counts. Owned by the
 * call's loop. Used while the call is open, except for what leaves afterwards.
 */
final class CallOutput {

    static final Status READS_TOO_LITTLE =
            Status.RESOURCE_EXHAUSTED.withDescription("too many unread answers on this connection");

    /** An answer that goes out however much is queued already: it costs no more than the call itself. */
    private static final int SMALL_ANSWER_BYTES = 16 * 1024;

    /** Queued bytes beyond which a call that sends parts takes no more: enough to fill a network, little for each call. */
    static final int PART_QUEUE_BYTES = 256 * 1024;

    private final GrpcCall call;
    private final ServerConnection connection;
    private final Http2Stream stream;
    private final boolean gzip;

    private boolean headersSent;
    private boolean sendsParts;
    private boolean blocked;
    private long queuedBytes;

    /** Set aside in the connection's {@link AnswerRoom} for what is being made. */
    private long makingBytes;

    CallOutput(GrpcCall call, ServerConnection connection, Http2Stream stream, boolean gzip) {
        this.call = call;
        this.connection = connection;
        this.stream = stream;
        this.gzip = gzip;
    }

    long queuedBytes() {
        return queuedBytes;
    }

    /** Whether more is welcome; if not, the call waits among the {@link BlockedStreams}. */
    boolean isWritable() {
        boolean writable = takesMore();
        if (!writable && !blocked && call.isOpen()) {
            blocked = true;
            connection.blocked().add(call);
        }
        return writable;
    }

    private boolean takesMore() {
        int limit = connection.config().limits().streamQueueBytes();
        return call.isOpen()
                && queuedBytes < (sendsParts ? Math.min(limit, PART_QUEUE_BYTES) : limit)
                && !connection.room().isOverfull()
                && connection.isOpenFor(stream, queuedBytes);
    }

    /** Begins the answer with metadata; does nothing if it has begun. */
    void sendHeaders(Metadata metadata) {
        if (!headersSent) {
            headersSent = true;
            connection.output().writeHeaders(stream, GrpcHeaders.begin(gzip, metadata));
        }
    }

    /** Queues whole messages, and takes the buffer over. */
    void send(ByteBuf framedMessages) {
        sendsParts = false;
        if (begins(framedMessages)) {
            observe(framedMessages);
            queue(gzip ? Gzip.deflateFrames(framedMessages, connection.ctx().alloc()) : framedMessages);
        }
    }

    /** Queues a part of a message, as it is, and takes the buffer over. */
    void sendPart(ByteBuf part, boolean first) {
        sendsParts = true;
        if (begins(part)) {
            int bytes = part.readableBytes() - (first ? MessageAssembler.PREFIX_BYTES : 0);
            connection.config().observer().messagesSent(call.method(), first ? 1 : 0, bytes);
            queue(part);
        }
    }

    boolean compresses() {
        return gzip;
    }

    /** Sees to it that the answer has begun; false if the connection has no room for it, and the call is ended. */
    private boolean begins(ByteBuf data) {
        made();
        if (headersSent) {
            return true;
        }
        if (data.readableBytes() > SMALL_ANSWER_BYTES && connection.room().isOverfull()) {
            data.release();
            call.fail(READS_TOO_LITTLE);
            return false;
        }
        headersSent = true;
        connection.output().writeHeaders(stream, gzip ? GrpcHeaders.BEGIN_GZIP : GrpcHeaders.BEGIN);
        return true;
    }

    private void queue(ByteBuf data) {
        queuedBytes += data.readableBytes();
        connection.output().writeData(stream, call, data);
        isWritable();
    }

    private void observe(ByteBuf framed) {
        int messages = 0;
        int end = framed.writerIndex();
        for (int i = framed.readerIndex(); i < end; i += MessageAssembler.PREFIX_BYTES + framed.getInt(i + 1)) {
            messages++;
        }
        int bytes = framed.readableBytes() - messages * MessageAssembler.PREFIX_BYTES;
        connection.config().observer().messagesSent(call.method(), messages, bytes);
    }

    /** Ends the answer. */
    void finish(Status status, Metadata trailers) {
        Http2Headers block =
                headersSent ? GrpcHeaders.end(status, trailers) : GrpcHeaders.endOnly(200, status, trailers);
        connection.output().writeEnd(stream, block);
    }

    /** An answer is being made, for which so much is set aside. */
    void making(long expectedBytes) {
        makingBytes += expectedBytes;
    }

    private void made() {
        if (makingBytes != 0) {
            long expected = makingBytes;
            makingBytes = 0;
            connection.room().made(expected);
        }
    }

    /** Bytes have left for the socket, or were dropped. */
    void onSent(int bytes) {
        queuedBytes -= bytes;
        if (blocked) {
            connection.blocked().askLater(call);
        }
    }

    /** True if the call waited to be writable, and is. */
    boolean unblock() {
        if (!blocked || !takesMore()) {
            return false;
        }
        blocked = false;
        connection.blocked().remove(call);
        return true;
    }

    /** The call has ended: waits for nothing more. What is queued still leaves. */
    void close() {
        connection.room().forget(call);
        made();
        if (blocked) {
            blocked = false;
            connection.blocked().remove(call);
        }
    }
}

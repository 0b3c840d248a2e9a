/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.wire;

import io.grpc.Metadata;
import io.grpc.Status;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import io.netty.util.AttributeKey;
import java.net.SocketAddress;
import java.util.function.Supplier;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/** One gRPC call at the level of bytes. Owned by its event loop: all methods are called on it. */
public interface RawCall {

    /** The loop that owns this call. */
    EventLoop loop();

    /** The client's address. */
    SocketAddress remoteAddress();

    /** The TLS session, whose peer certificates name the client; null in plaintext. */
    default @Nullable SSLSession tlsSession() {
        return null;
    }

    /** What all calls of this connection share under a key; made by the first one that asks. */
    <T> T ofConnection(AttributeKey<T> key, Supplier<T> first);

    /** An empty direct buffer for {@link #send}. */
    ByteBuf buffer(int initialCapacity);

    /**
     * Whether the client takes more now: the stream's window is open and fewer bytes are queued than the limit. {@link
     * Listener#onWritable} tells when that comes back.
     */
    boolean isWritable();

    /**
     * Runs a task that makes the answer, now or as soon as the client has read enough of earlier answers. Not at all if
     * the call ends before, or if too many calls wait; the call is ended then.
     *
     * @param expectedBytes zero for an answer that is small or regulated by {@link #isWritable}; else what is set aside
     *     for the answer until it is sent, of what a connection may take for large ones
     */
    void whenRoom(long expectedBytes, Runnable make);

    /** Whether the process has memory for an answer of this size. Any thread. */
    boolean hasMemoryFor(long bytes);

    /** Bytes given to {@link #send} that have not left for the socket. */
    long queuedBytes();

    /**
     * Queues one or more whole messages, each with its five-byte prefix, and takes over the buffer. What is queued is
     * sent at the end of the loop's turn, or earlier if much is queued. Does nothing but release after the call's end.
     */
    void send(ByteBuf framedMessages);

    /**
     * Queues a part of one message that is too large to be in memory as a whole, and takes over the buffer. The first part
     * begins with the message's prefix, flag zero and whole length; all parts together are the message, and nothing else
     * is sent in between. A call that sends parts is not writable while some hundred kilobytes are queued.
     */
    void sendPart(ByteBuf part, boolean first);

    /**
     * Sends the only message of an answer and ends the call with status OK; takes over the buffer. Unlike {@link #send} and
     * {@link #finish} one after the other, however long the message is, both leave in one flush.
     */
    default void reply(ByteBuf framedMessage) {
        send(framedMessage);
        finish(Status.OK, new Metadata());
    }

    /** Whether {@link #send} compresses messages, which takes time that grows with their length. */
    boolean compresses();

    /**
     * Does ahead what {@link #send} would do to large messages; takes over the buffer and returns another one for {@code
     * send}. Any thread.
     */
    ByteBuf compress(ByteBuf framedMessages);

    /** Ends the call with a status and optional trailers. Does nothing after the call's end. */
    void finish(Status status, Metadata trailers);

    /** Stops (false) or resumes (true) delivery of the client's messages; they stay under flow control meanwhile. */
    void read(boolean enabled);

    /** What happens to a call. */
    interface Listener {
        /** Hears nothing: for a call that was finished before it began. */
        Listener DEAF = new Listener() {
            @Override
            public void onMessage(ByteBuf message) {}

            @Override
            public void onHalfClose() {}

            @Override
            public void onCancel(Status status) {}
        };

        /** A whole, decompressed message without prefix; borrowed: retain it to keep it. */
        void onMessage(ByteBuf message);

        /** The client sends no more. The call goes on until {@link RawCall#finish}. */
        void onHalfClose();

        /** The call ended otherwise than by {@link RawCall#finish}: reset, deadline, connection gone. Called once. */
        void onCancel(Status status);

        /** The call takes bytes again after {@link RawCall#isWritable} was false. */
        default void onWritable() {}
    }
}

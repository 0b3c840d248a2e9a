/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.wire;

import io.grpc.Metadata;
import io.grpc.Status;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocatorMetricProvider;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2Stream;
import io.netty.util.Attribute;
import io.netty.util.AttributeKey;
import io.netty.util.concurrent.Future;
import java.net.SocketAddress;
import java.util.function.Consumer;
import java.util.function.Supplier;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One gRPC call on its HTTP/2 stream; owned by its connection's loop.
 *
 * <p>The call is {@code OPEN} until it is {@code FINISHED} by its handler, or by us with an error status, or {@code
 * CANCELLED} because the stream went away. The client's end of input changes nothing about that: a watch goes on. Once
 * the call is not open, bytes that come or are sent are dropped, while those queued before still leave. What comes is
 * seen to by {@link CallInput}, what is sent by {@link CallOutput}.
 */
final class GrpcCall implements RawCall, StreamOwner {

    /** The client set no deadline. */
    static final long NO_TIMEOUT = Long.MAX_VALUE;

    private static final Logger LOG = LoggerFactory.getLogger(GrpcCall.class);

    private static final Status CANCELLED = Status.CANCELLED.withDescription("context canceled");
    private static final Status LATE = Status.DEADLINE_EXCEEDED.withDescription("context deadline exceeded");
    private static final Status BROKEN = Status.INTERNAL.withDescription("the server failed on this call");

    private enum State {
        OPEN,
        FINISHED,
        CANCELLED
    }

    private final ServerConnection connection;
    private final MethodTable.Method method;
    private final CallInput input;
    private final CallOutput output;
    private final long startNanos = System.nanoTime();

    private State state = State.OPEN;
    private @Nullable Listener listener;
    private @Nullable Future<?> deadline;
    private long timeoutNanos = NO_TIMEOUT;

    GrpcCall(ServerConnection connection, Http2Stream stream, MethodTable.Method method, boolean gzip) {
        this.connection = connection;
        this.method = method;
        input = new CallInput(this, connection, stream, gzip);
        output = new CallOutput(this, connection, stream, gzip);
    }

    void start(Http2Headers headers, long timeout, boolean endOfStream) {
        connection.config().observer().callStarted(method.fullName());
        timeoutNanos = timeout;
        if (timeout != NO_TIMEOUT) {
            deadline = connection.schedule(() -> fail(LATE), timeout);
        }
        if (connection.room().isOverfull()) {
            input.waitForRoom();
            whenRoom(0, input::proceed);
            if (state != State.OPEN) {
                return;
            }
        }
        try {
            listener = method.handler().start(this, headers);
        } catch (RuntimeException e) {
            onHandlerFailure(e);
        }
        if (endOfStream) {
            onHalfClose();
        }
    }

    // ---- the handler's side ----

    @Override
    public EventLoop loop() {
        return connection.loop();
    }

    @Override
    public SocketAddress remoteAddress() {
        return connection.remoteAddress();
    }

    @Override
    public @Nullable SSLSession tlsSession() {
        return connection.tlsSession();
    }

    /** Time that the client gives the call, or {@link #NO_TIMEOUT}. */
    long timeoutNanos() {
        return timeoutNanos;
    }

    /** The method's name, {@code package.Service/Name}. */
    String method() {
        return method.fullName();
    }

    ServerConnection connection() {
        return connection;
    }

    @Override
    public <T> T ofConnection(AttributeKey<T> key, Supplier<T> first) {
        Attribute<T> shared = connection.ctx().channel().attr(key);
        T value = shared.get();
        if (value == null) {
            value = first.get();
            shared.set(value);
        }
        return value;
    }

    @Override
    public ByteBuf buffer(int initialCapacity) {
        return connection.ctx().alloc().directBuffer(initialCapacity);
    }

    @Override
    public boolean isWritable() {
        return output.isWritable();
    }

    @Override
    public void whenRoom(long expectedBytes, Runnable make) {
        if (state == State.OPEN && !connection.room().ask(this, expectedBytes, make)) {
            fail(CallOutput.READS_TOO_LITTLE);
        }
    }

    /** An answer is being made, for which so much is set aside. */
    void making(long expectedBytes) {
        output.making(expectedBytes);
    }

    /** Goes on after waiting. */
    void proceed(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException e) {
            onHandlerFailure(e);
        }
    }

    @Override
    public boolean hasMemoryFor(long bytes) {
        return !(connection.ctx().alloc() instanceof ByteBufAllocatorMetricProvider allocator)
                || allocator.metric().usedDirectMemory() + bytes
                        <= connection.config().tuning().answers().memoryBytes();
    }

    @Override
    public long queuedBytes() {
        return output.queuedBytes();
    }

    boolean isOpen() {
        return state == State.OPEN;
    }

    /** Begins the answer with metadata; does nothing if it has begun or the call has ended. */
    void sendHeaders(Metadata metadata) {
        if (state == State.OPEN) {
            output.sendHeaders(metadata);
        }
    }

    @Override
    public void send(ByteBuf framedMessages) {
        assert connection.loop().inEventLoop() : "a call is used on its loop only";
        if (state == State.OPEN && framedMessages.isReadable()) {
            output.send(framedMessages);
        } else {
            framedMessages.release();
        }
    }

    @Override
    public void reply(ByteBuf framedMessage) {
        connection.output().gather();
        try {
            RawCall.super.reply(framedMessage);
        } finally {
            connection.output().gathered();
        }
    }

    @Override
    public void sendPart(ByteBuf part, boolean first) {
        assert connection.loop().inEventLoop() : "a call is used on its loop only";
        if (state == State.OPEN && part.isReadable()) {
            output.sendPart(part, first);
        } else {
            part.release();
        }
    }

    @Override
    public boolean compresses() {
        return output.compresses();
    }

    @Override
    public ByteBuf compress(ByteBuf framedMessages) {
        return Gzip.deflateFrames(framedMessages, connection.ctx().alloc());
    }

    @Override
    public void finish(Status status, Metadata trailers) {
        assert connection.loop().inEventLoop() : "a call is used on its loop only";
        if (state == State.OPEN) {
            end(State.FINISHED, status);
            output.finish(status, trailers);
        }
    }

    @Override
    public void read(boolean enabled) {
        input.read(enabled);
    }

    // ---- the stream's side ----

    @Override
    public int onData(ByteBuf data, boolean endOfStream) {
        return input.onData(data, endOfStream);
    }

    @Override
    public void onHalfClose() {
        input.onHalfClose();
    }

    @Override
    public void onSent(int bytes) {
        output.onSent(bytes);
    }

    @Override
    public void onMaybeWritable() {
        if (output.unblock()) {
            tell(Listener::onWritable);
        }
    }

    @Override
    public void onStreamClosed() {
        if (state == State.OPEN) {
            end(State.CANCELLED, CANCELLED);
            tell(ended -> ended.onCancel(CANCELLED));
        }
    }

    /** Gives the handler a message, borrowed. */
    void deliver(ByteBuf message) {
        connection.config().observer().messageReceived(method.fullName(), message.readableBytes());
        tell(current -> current.onMessage(message));
    }

    /** Tells the handler; a handler that fails ends the call. */
    void tell(Consumer<Listener> event) {
        Listener current = listener;
        if (current == null) {
            return;
        }
        try {
            event.accept(current);
        } catch (RuntimeException e) {
            onHandlerFailure(e);
        }
    }

    // ---- ends ----

    /** Ends an open call with an error that the handler has not chosen. */
    void fail(Status status) {
        if (state == State.OPEN) {
            finish(status, new Metadata());
            tell(ended -> ended.onCancel(status));
        }
    }

    private void onHandlerFailure(RuntimeException failure) {
        LOG.error("{} failed", method.fullName(), failure);
        fail(BROKEN);
    }

    private void end(State last, Status status) {
        state = last;
        Future<?> timer = deadline;
        if (timer != null) {
            timer.cancel(false);
            deadline = null;
        }
        input.close();
        output.close();
        long nanos = System.nanoTime() - startNanos;
        connection.config().observer().callEnded(method.fullName(), status.getCode(), nanos);
    }
}

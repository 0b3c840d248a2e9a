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
import java.io.IOException;
import java.net.SocketAddress;
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
 * the call is not open, bytes that come or are sent are dropped, while those queued before still leave.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a failed write or close ends the connection, which is told elsewhere
final class GrpcCall implements RawCall, StreamOwner, MessageAssembler.Sink {

    /** The client set no deadline. */
    static final long NO_TIMEOUT = Long.MAX_VALUE;

    private static final Logger log = LoggerFactory.getLogger(GrpcCall.class);

    private static final Status CANCELLED = Status.CANCELLED.withDescription("context canceled");
    private static final Status LATE = Status.DEADLINE_EXCEEDED.withDescription("context deadline exceeded");
    private static final Status CUT_OFF = Status.INTERNAL.withDescription("unexpected EOF");
    private static final Status BROKEN = Status.INTERNAL.withDescription("the server failed on this call");
    private static final Status HOLDS_TOO_MUCH =
            Status.RESOURCE_EXHAUSTED.withDescription("too many unfinished requests on this connection");
    private static final Status READS_TOO_LITTLE =
            Status.RESOURCE_EXHAUSTED.withDescription("too many unread answers on this connection");
    private static final Status NOT_COMPRESSED =
            Status.INTERNAL.withDescription("grpc: compressed flag set with identity or empty encoding");

    /** An answer that goes out however much is queued already: it costs no more than the call itself. */
    private static final int SMALL_ANSWER_BYTES = 16 * 1024;

    private enum State {
        OPEN,
        FINISHED,
        CANCELLED
    }

    private final ServerConnection connection;
    private final Http2Stream stream;
    private final MethodTable.Method method;
    private final MessageAssembler assembler;
    private final boolean gzip;
    private final long startNanos = System.nanoTime();

    private State state = State.OPEN;
    private @Nullable Listener listener;
    private @Nullable Future<?> deadline;
    private long timeoutNanos = NO_TIMEOUT;
    private boolean reading = true;
    private boolean inputEnded;
    private boolean halfCloseTold;
    private boolean headersSent;
    private boolean blocked;

    /** Waits in the connection's {@link AnswerRoom}. */
    private boolean waiting;

    /** Has not begun, for want of room: nothing of the input is handed on. */
    private boolean held;

    private long makingBytes;
    private int withheldBytes;
    private int heldBytes;
    private long queuedBytes;

    GrpcCall(ServerConnection connection, Http2Stream stream, MethodTable.Method method, boolean gzip) {
        this.connection = connection;
        this.stream = stream;
        this.method = method;
        this.gzip = gzip;
        assembler = new MessageAssembler(connection.ctx().alloc(), this);
    }

    void start(Http2Headers headers, long timeout, boolean endOfStream) {
        connection.config().observer().callStarted(method.fullName());
        timeoutNanos = timeout;
        if (timeout != NO_TIMEOUT) {
            deadline = connection.schedule(() -> fail(LATE), timeout);
        }
        held = connection.room().isOverfull();
        if (held) {
            whenRoom(0, this::release);
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
        boolean writable = takesMore();
        if (!writable && !blocked && state == State.OPEN) {
            blocked = true;
            connection.blocked().add(this);
        }
        return writable;
    }

    private boolean takesMore() {
        return state == State.OPEN
                && queuedBytes < connection.config().limits().streamQueueBytes()
                && !connection.room().isOverfull()
                && connection.isOpenFor(stream, queuedBytes);
    }

    @Override
    public void whenRoom(long expectedBytes, Runnable make) {
        if (state != State.OPEN) {
            return;
        }
        waiting = true;
        boolean taken = connection.room().ask(this, expectedBytes, () -> {
            waiting = false;
            make.run();
        });
        if (!taken) {
            waiting = false;
            fail(READS_TOO_LITTLE);
        }
    }

    /** An answer is being made, for which so much is set aside. */
    void making(long expectedBytes) {
        makingBytes += expectedBytes;
    }

    private void made() {
        long expected = makingBytes;
        makingBytes = 0;
        connection.room().made(expected);
    }

    /** Goes on after waiting. */
    void proceed(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException e) {
            onHandlerFailure(e);
        }
    }

    private void release() {
        held = false;
        if (reading) {
            resume();
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
        return queuedBytes;
    }

    boolean isOpen() {
        return state == State.OPEN;
    }

    /** Begins the answer with metadata; does nothing if it has begun or the call has ended. */
    void sendHeaders(Metadata metadata) {
        if (state == State.OPEN && !headersSent) {
            headersSent = true;
            connection.writeHeaders(stream, GrpcHeaders.begin(gzip, metadata));
        }
    }

    @Override
    public void send(ByteBuf framedMessages) {
        assert connection.loop().inEventLoop() : "a call is used on its loop only";
        if (state != State.OPEN || !framedMessages.isReadable()) {
            framedMessages.release();
            return;
        }
        if (makingBytes != 0) {
            made();
        }
        if (!headersSent) {
            if (framedMessages.readableBytes() > SMALL_ANSWER_BYTES
                    && connection.room().isOverfull()) {
                framedMessages.release();
                fail(READS_TOO_LITTLE);
                return;
            }
            headersSent = true;
            connection.writeHeaders(stream, gzip ? GrpcHeaders.BEGIN_GZIP : GrpcHeaders.BEGIN);
        }
        observeSent(framedMessages);
        ByteBuf data =
                gzip ? Gzip.deflateFrames(framedMessages, connection.ctx().alloc()) : framedMessages;
        queuedBytes += data.readableBytes();
        connection.writeData(stream, this, data);
        isWritable();
    }

    private void observeSent(ByteBuf framed) {
        int messages = 0;
        int end = framed.writerIndex();
        for (int i = framed.readerIndex(); i < end; i += MessageAssembler.PREFIX_BYTES + framed.getInt(i + 1)) {
            messages++;
        }
        int bytes = framed.readableBytes() - messages * MessageAssembler.PREFIX_BYTES;
        connection.config().observer().messagesSent(method.fullName(), messages, bytes);
    }

    @Override
    public void finish(Status status, Metadata trailers) {
        assert connection.loop().inEventLoop() : "a call is used on its loop only";
        if (state != State.OPEN) {
            return;
        }
        end(State.FINISHED, status);
        Http2Headers block =
                headersSent ? GrpcHeaders.end(status, trailers) : GrpcHeaders.endOnly(200, status, trailers);
        connection.writeEnd(stream, block);
    }

    @Override
    public void read(boolean enabled) {
        if (reading == enabled) {
            return;
        }
        reading = enabled;
        if (enabled && !held) {
            resume();
        }
    }

    private void resume() {
        if (!assembler.isDelivering()) {
            assembler.resume();
            afterInput();
            connection.giveBack(stream, settle(0));
        }
    }

    // ---- the stream's side ----

    @Override
    public int onData(ByteBuf data, boolean endOfStream) {
        int bytes = data.readableBytes();
        if (endOfStream) {
            inputEnded = true;
        }
        if (state == State.OPEN) {
            assembler.accept(data);
            afterInput();
        }
        return settle(bytes);
    }

    @Override
    public void onHalfClose() {
        inputEnded = true;
        afterInput();
    }

    /** Counts what is kept, and tells the end of the input when everything before it has been told. */
    private void afterInput() {
        if (state != State.OPEN) {
            return;
        }
        int kept = assembler.pendingBytes();
        boolean fits = connection.hold(kept - heldBytes);
        heldBytes = kept;
        if (!fits) {
            fail(HOLDS_TOO_MUCH);
        } else if (inputEnded && !halfCloseTold && !assembler.isDelivering()) {
            if (kept == 0) {
                halfCloseTold = true;
                tell(Listener::onHalfClose);
            } else if (reading && !held) {
                fail(CUT_OFF);
            }
        }
    }

    /** How much of what came the client may send again: all but what a paused reader has left lying. */
    private int settle(int newBytes) {
        int total = withheldBytes + newBytes;
        withheldBytes = (reading && !held) || state != State.OPEN ? 0 : Math.min(total, assembler.pendingBytes());
        return total - withheldBytes;
    }

    @Override
    public boolean wantsMessage() {
        return reading && !held && state == State.OPEN;
    }

    @Override
    public boolean admit(int flag, long bodyBytes) {
        int max = connection.config().limits().maxMessageBytes();
        if (flag > 1) {
            fail(Status.INTERNAL.withDescription("grpc: received unexpected payload format " + flag));
        } else if (flag == 1 && !gzip) {
            fail(NOT_COMPRESSED);
        } else if (bodyBytes > max) {
            fail(Status.RESOURCE_EXHAUSTED.withDescription(
                    "grpc: received message larger than max (" + bodyBytes + " vs. " + max + ")"));
        }
        return state == State.OPEN;
    }

    @Override
    public void onBody(int flag, ByteBuf body) {
        if (flag == 0) {
            deliver(body);
            return;
        }
        int max = connection.config().limits().maxMessageBytes();
        ByteBuf message;
        try {
            message = Gzip.inflate(body, connection.ctx().alloc(), max);
        } catch (IOException e) {
            fail(Status.INTERNAL.withDescription("grpc: failed to decompress the received message: " + e.getMessage()));
            return;
        }
        if (message == null) {
            fail(Status.RESOURCE_EXHAUSTED.withDescription(
                    "grpc: received message after decompression larger than max " + max));
            return;
        }
        try {
            deliver(message);
        } finally {
            message.release();
        }
    }

    private void deliver(ByteBuf message) {
        connection.config().observer().messageReceived(method.fullName(), message.readableBytes());
        Listener current = listener;
        if (current == null) {
            return;
        }
        try {
            current.onMessage(message);
        } catch (RuntimeException e) {
            onHandlerFailure(e);
        }
    }

    @Override
    public void onSent(int bytes) {
        queuedBytes -= bytes;
        if (blocked) {
            connection.blocked().askLater(this);
        }
    }

    @Override
    public void onMaybeWritable() {
        if (blocked && takesMore()) {
            blocked = false;
            connection.blocked().remove(this);
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

    // ---- ends ----

    /** Ends an open call with an error that the handler has not chosen. */
    private void fail(Status status) {
        if (state == State.OPEN) {
            finish(status, new Metadata());
            tell(ended -> ended.onCancel(status));
        }
    }

    private void onHandlerFailure(RuntimeException failure) {
        log.error("{} failed", method.fullName(), failure);
        fail(BROKEN);
    }

    private void end(State last, Status status) {
        state = last;
        Future<?> timer = deadline;
        if (timer != null) {
            timer.cancel(false);
            deadline = null;
        }
        assembler.close();
        connection.hold(-heldBytes);
        heldBytes = 0;
        if (waiting) {
            waiting = false;
            connection.room().forget(this);
        }
        if (makingBytes != 0) {
            made();
        }
        if (blocked) {
            blocked = false;
            connection.blocked().remove(this);
        }
        long nanos = System.nanoTime() - startNanos;
        connection.config().observer().callEnded(method.fullName(), status.getCode(), nanos);
    }

    private interface Event {
        void tell(Listener listener);
    }

    private void tell(Event event) {
        Listener current = listener;
        if (current == null) {
            return;
        }
        try {
            event.tell(current);
        } catch (RuntimeException e) {
            onHandlerFailure(e);
        }
    }
}

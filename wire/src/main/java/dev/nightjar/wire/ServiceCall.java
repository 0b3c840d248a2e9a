/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.wire;

import io.grpc.Attributes;
import io.grpc.Context;
import io.grpc.Drainable;
import io.grpc.Grpc;
import io.grpc.KnownLength;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.SecurityLevel;
import io.grpc.ServerCall;
import io.grpc.ServerMethodDefinition;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets a generated service, with its interceptors, serve a {@link GrpcCall}.
 *
 * <p>State is owned by the call's loop, except for what is marked volatile. The service's callbacks run on the loop too,
 * or one after the other on an executor. The service may use the call from any thread: what it does is moved to the loop,
 * in order.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a failed write or close ends the connection, which is told elsewhere
final class ServiceCall<Q, R> extends ServerCall<Q, R> implements RawCall.Listener {

    private static final Logger LOG = LoggerFactory.getLogger(ServiceCall.class);
    private static final int FIRST_BUFFER_BYTES = 256;

    private final GrpcCall call;
    private final ServerMethodDefinition<Q, R> method;
    private final Executor callbacks;
    private final @Nullable String authority;
    private final Context.CancellableContext context;
    private final Attributes attributes;
    private final AtomicLong onTheWayBytes = new AtomicLong();

    private ServerCall.@Nullable Listener<Q> listener;
    private int requested;
    private boolean closed;
    private volatile boolean ready = true;

    /** The service may have been told that it is not ready, and waits to hear that it is. */
    private volatile boolean awaitsReady;

    private volatile boolean cancelled;

    ServiceCall(
            GrpcCall call,
            ServerMethodDefinition<Q, R> method,
            @Nullable Executor executor,
            @Nullable String authority) {
        this.call = call;
        this.method = method;
        this.authority = authority;
        callbacks = executor == null ? Runnable::run : new SerialExecutor(executor);
        context = call.timeoutNanos() == GrpcCall.NO_TIMEOUT
                ? Context.ROOT.withCancellation()
                : Context.ROOT.withDeadlineAfter(call.timeoutNanos(), TimeUnit.NANOSECONDS, call.loop());
        var known = Attributes.newBuilder().set(Grpc.TRANSPORT_ATTR_REMOTE_ADDR, call.remoteAddress());
        SSLSession tls = call.tlsSession();
        if (tls != null) {
            known.set(Grpc.TRANSPORT_ATTR_SSL_SESSION, tls);
        }
        attributes = known.build();
    }

    /** Begins the call; nothing is delivered before the service asks for it. */
    void start(Metadata headers) {
        call.read(false);
        inService(() -> {
            ServerCall.Listener<Q> started = method.getServerCallHandler().startCall(this, headers);
            listener = started;
            started.onReady();
        });
    }

    // ---- events of the call, on its loop ----

    @Override
    public void onMessage(ByteBuf message) {
        Q request;
        try {
            request = method.getMethodDescriptor().parseRequest(new MessageStream(message));
        } catch (StatusRuntimeException e) {
            abort(e.getStatus());
            return;
        }
        requested--;
        if (requested == 0) {
            call.read(false);
        }
        inService(() -> current().onMessage(request));
    }

    @Override
    public void onHalfClose() {
        inService(() -> current().onHalfClose());
    }

    @Override
    public void onCancel(Status status) {
        if (!closed) {
            closed = true;
            cancelled = true;
            ready = false;
            inService(() -> {
                if (listener != null) {
                    listener.onCancel();
                }
            });
            context.cancel(status.asRuntimeException());
        }
    }

    @Override
    public void onWritable() {
        ready = true;
        awaitsReady = false;
        inService(() -> current().onReady());
    }

    private ServerCall.Listener<Q> current() {
        ServerCall.Listener<Q> current = listener;
        if (current == null) {
            throw new IllegalStateException("the service has not taken the call");
        }
        return current;
    }

    /** Runs a callback; a failing service ends the call. */
    private void inService(Runnable callback) {
        try {
            callbacks.execute(() -> {
                try {
                    context.run(callback);
                } catch (RuntimeException e) {
                    onServiceFailure(e);
                }
            });
        } catch (RejectedExecutionException e) {
            LOG.warn("{}: no thread for the call", call.method(), e);
            abort(Status.RESOURCE_EXHAUSTED.withDescription("the server is too busy"));
        }
    }

    private void onServiceFailure(RuntimeException failure) {
        if (failure instanceof StatusRuntimeException known) {
            Metadata trailers = known.getTrailers();
            close(known.getStatus(), trailers == null ? new Metadata() : trailers);
            return;
        }
        LOG.error("{} failed", call.method(), failure);
        onLoop(() -> abort(Status.UNKNOWN.withDescription("Application error processing RPC")));
    }

    /** Ends the call with an error that the service has not chosen; on the loop. */
    private void abort(Status status) {
        if (call.isOpen()) {
            call.finish(status, new Metadata());
            onCancel(status);
        }
    }

    // ---- the service's side, any thread ----

    @Override
    public void request(int messages) {
        onLoop(() -> {
            requested = (int) Math.min(Integer.MAX_VALUE, (long) requested + messages);
            if (requested > 0) {
                call.read(true);
            }
        });
    }

    @Override
    public void sendHeaders(Metadata headers) {
        onLoop(() -> call.sendHeaders(headers));
    }

    @Override
    public void sendMessage(R message) {
        ByteBuf framed = encode(message);
        int bytes = framed.readableBytes();
        onTheWayBytes.addAndGet(bytes);
        try {
            onLoop(() -> {
                onTheWayBytes.addAndGet(-bytes);
                call.send(framed);
                ready = call.isWritable();
                if (awaitsReady && hasRoom()) {
                    onWritable();
                }
            });
        } catch (RejectedExecutionException e) {
            framed.release();
            throw e;
        }
    }

    private ByteBuf encode(R message) {
        boolean whole = false;
        ByteBuf framed = null;
        try (InputStream in = method.getMethodDescriptor().streamResponse(message)) {
            int expected = in instanceof KnownLength ? in.available() : FIRST_BUFFER_BYTES;
            framed = call.connection().ctx().alloc().directBuffer(MessageAssembler.PREFIX_BYTES + expected);
            framed.writeByte(0).writeInt(0);
            try (var out = new ByteBufOutputStream(framed)) {
                if (in instanceof Drainable drainable) {
                    drainable.drainTo(out);
                } else {
                    in.transferTo(out);
                }
            }
            framed.setInt(framed.readerIndex() + 1, framed.readableBytes() - MessageAssembler.PREFIX_BYTES);
            whole = true;
            return framed;
        } catch (IOException e) {
            throw Status.INTERNAL
                    .withDescription("the answer could not be encoded")
                    .withCause(e)
                    .asRuntimeException();
        } finally {
            if (!whole && framed != null) {
                framed.release();
            }
        }
    }

    /** Noted before it is asked: what arrives on the loop in between then answers a question that was still open. */
    @Override
    public boolean isReady() {
        awaitsReady = true;
        boolean room = hasRoom();
        if (room) {
            awaitsReady = false;
        }
        return room;
    }

    private boolean hasRoom() {
        int limitBytes = call.connection().config().limits().streamQueueBytes();
        return ready && onTheWayBytes.get() < limitBytes;
    }

    @Override
    public void close(Status status, Metadata trailers) {
        onLoop(() -> {
            if (closed) {
                return;
            }
            closed = true;
            ready = false;
            call.finish(status, trailers);
            inService(() -> {
                if (listener != null) {
                    listener.onComplete();
                }
            });
            context.cancel(null);
        });
    }

    private void onLoop(Runnable action) {
        if (call.loop().inEventLoop()) {
            action.run();
        } else {
            call.loop().execute(action);
        }
    }

    @Override
    public boolean isCancelled() {
        return cancelled;
    }

    @Override
    public Attributes getAttributes() {
        return attributes;
    }

    @Override
    public @Nullable String getAuthority() {
        return authority;
    }

    @Override
    public SecurityLevel getSecurityLevel() {
        return call.tlsSession() == null ? SecurityLevel.NONE : SecurityLevel.PRIVACY_AND_INTEGRITY;
    }

    @Override
    public MethodDescriptor<Q, R> getMethodDescriptor() {
        return method.getMethodDescriptor();
    }
}

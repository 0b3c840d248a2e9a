/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.rpc;

import dev.nightjar.core.apply.ApiError;
import dev.nightjar.server.node.Node;
import dev.nightjar.wire.RawCall;
import io.grpc.Metadata;
import io.grpc.Status;
import io.netty.buffer.ByteBuf;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A call with one request and one answer. Owned by its loop. */
final class UnaryCall implements RawCall.Listener {

    /** What a service does with the request; the buffer is borrowed. */
    @FunctionalInterface
    interface Handler {
        void handle(UnaryCall call, ByteBuf request);
    }

    private static final Logger LOG = LoggerFactory.getLogger(UnaryCall.class);
    private static final Status BROKEN = Status.INTERNAL.withDescription("the server failed on this call");
    private static final Status EXTRA_MESSAGE =
            Status.INTERNAL.withDescription("a unary call takes one request message, but more came");
    private static final Status NO_MESSAGE =
            Status.INTERNAL.withDescription("a unary call takes one request message, but none came");

    private final RawCall call;
    private final Handler handler;
    private boolean requested;
    private boolean gone;
    private @Nullable Runnable onGone;
    private boolean ended;
    private @Nullable PiecedReply pieces;
    private @Nullable Runnable held;

    UnaryCall(RawCall call, Handler handler) {
        this.call = call;
        this.handler = handler;
    }

    RawCall raw() {
        return call;
    }

    @Override
    public void onMessage(ByteBuf message) {
        if (requested) {
            finish(EXTRA_MESSAGE);
            return;
        }
        requested = true;
        handler.handle(this, message);
    }

    @Override
    public void onHalfClose() {
        if (!requested) {
            finish(NO_MESSAGE);
        }
    }

    @Override
    public void onCancel(Status status) {
        // A write that is under way stays so, and its answer is dropped by the call.
        over();
        gone = true;
        if (onGone != null) {
            onGone.run();
        }
    }

    /** Has something done, on the loop, if the client goes away before its answer; at once if it has gone. */
    void whenGone(Runnable action) {
        onGone = action;
        if (gone) {
            action.run();
        }
    }

    private void over() {
        ended = true;
        PiecedReply unfinished = pieces;
        if (unfinished != null) {
            pieces = null;
            unfinished.end();
        }
    }

    @Override
    public void onWritable() {
        PiecedReply unfinished = pieces;
        if (unfinished != null) {
            unfinished.advance();
        }
    }

    /**
     * Has a reader thread do something, and the call's loop go on with the outcome. If no reader takes the task, or if it
     * fails, that is the answer.
     */
    void onReader(Node node, Supplier<Runnable> read) {
        try {
            node.readers().execute(() -> {
                Runnable then = readOrFail(read);
                call.loop().execute(then);
            });
        } catch (RejectedExecutionException e) {
            lastStep(() -> fail(ApiError.TOO_MANY_REQUESTS));
        }
    }

    /** Goes on when everything acknowledged before can be read, or fails. */
    void afterReadBarrier(Node node, Runnable read) {
        node.afterReadBarrier(call.loop(), error -> {
            if (error != null) {
                fail(error);
            } else {
                step(read);
            }
        });
    }

    /** Runs a step of the call that comes by another way than {@link #onMessage}: a failure ends the call. */
    void step(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException e) {
            broken(e);
        }
    }

    /** Notes how to give back what making the answer takes, see {@link #release}. */
    void holds(Runnable release) {
        Runnable before = held;
        held = before == null
                ? release
                : () -> {
                    before.run();
                    release.run();
                };
    }

    /** The answer is made, or nobody wants it: gives back what making it took, once. */
    void release() {
        Runnable release = held;
        if (release != null) {
            held = null;
            release.run();
        }
    }

    /** The {@link #step} that answers; gives back what that took. */
    void lastStep(Runnable answer) {
        step(answer);
        release();
    }

    /** Ends the call because of a mistake of ours. */
    void broken(Throwable failure) {
        LOG.atError().setCause(failure).log("a call failed");
        finish(BROKEN);
    }

    private Runnable readOrFail(Supplier<Runnable> read) {
        try {
            return read.get();
        } catch (RuntimeException | Error e) {
            return () -> lastStep(() -> broken(e));
        }
    }

    /** Whether nobody waits for an answer any more. */
    boolean hasEnded() {
        return ended;
    }

    /** Sends a long answer, which ends the call. */
    void send(PiecedReply reply) {
        if (ended) {
            reply.end();
        } else {
            pieces = reply;
            reply.start();
        }
    }

    /** Sends the answer, one framed message, and ends the call. */
    void reply(ByteBuf framed) {
        over();
        call.reply(framed);
    }

    void fail(ApiError error) {
        finish(Errors.status(error));
    }

    void finish(Status status) {
        over();
        call.finish(status, new Metadata());
    }
}

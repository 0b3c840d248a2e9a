/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.rpc;

import dev.nightjar.core.mvcc.LongRead;
import dev.nightjar.wire.RawCall;
import io.grpc.Status;
import io.netty.buffer.ByteBuf;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * An answer that is too long to be made at once: one message, sent in pieces as the client takes them. Owned
 * by the call's loop; pieces are copied on a reader thread, one at a time.
 *
 * <pre>
 *   IDLE     -- the client takes more --> COPYING -- piece sent --> IDLE ... last piece sent --> ENDED
 *   any      -- the call ends, a failure --> ENDED    (from COPYING: the read is closed when its piece is back)
 * </pre>
 *
 * <p>The message's length goes out first, so that an error afterwards leaves the client with a part of a message and the
 * status. There are few: the store is closed, or {@linkplain Pace the client is too slow}.
 */
final class PiecedReply {
    /** A few milliseconds of a fast network: switching threads costs little beside it. */
    static final int PIECE_BYTES = 256 * 1024;

    static final Status TOO_SLOW = Status.RESOURCE_EXHAUSTED.withDescription(
            "etcdserver: the answer was read too slowly, a compaction waits for the end of it");

    /**
     * How fast a client has to read while a compaction waits for the end of the answer. Nobody is in a hurry otherwise.
     *
     * @param periodNanos how long compaction may wait for the next {@code bytes}
     * @param bytes what has to be read in each period
     */
    record Pace(long periodNanos, long bytes) {
        /** A client that reads slower over ten seconds has stopped, or holds up everybody; a slow network does not. */
        static final Pace DEFAULT = new Pace(TimeUnit.SECONDS.toNanos(10), 1 << 20);
    }

    private enum State {
        IDLE,
        COPYING,
        ENDED
    }

    private final UnaryCall call;
    private final RawCall raw;
    private final Executor readers;
    private final KvReplies.Outline outline;
    private final LongRead read;
    private final Pace pace;
    private State state = State.IDLE;
    private boolean retrying;
    private boolean begun;
    private long sentBytes;
    private long takenBefore;

    PiecedReply(UnaryCall call, Executor readers, KvReplies.Outline outline, LongRead read, Pace pace) {
        this.call = call;
        this.raw = call.raw();
        this.readers = readers;
        this.outline = outline;
        this.read = read;
        this.pace = pace;
    }

    /** Begins to send. */
    void start() {
        watchPace();
        advance();
    }

    /** Makes the next piece if the client takes it. */
    void advance() {
        if (state != State.IDLE || retrying || !raw.isWritable()) {
            return;
        }
        if (!raw.hasMemoryFor(PIECE_BYTES)) {
            retry();
            return;
        }
        boolean first = !begun;
        try {
            readers.execute(() -> copy(first));
            begun = true;
            state = State.COPYING;
        } catch (RejectedExecutionException e) {
            retry();
        }
    }

    private void retry() {
        retrying = true;
        Retry.later(raw, () -> {
            retrying = false;
            advance();
        });
    }

    /** On a reader thread. */
    private void copy(boolean first) {
        ByteBuf piece = raw.buffer(PIECE_BYTES);
        Runnable then;
        try {
            boolean last = outline.writePiece(piece, read, first);
            then = () -> copied(piece, first, last);
        } catch (RuntimeException | Error e) {
            then = () -> failed(piece, e);
        }
        try {
            raw.loop().execute(then);
        } catch (RejectedExecutionException e) { // the server has ended
            piece.release();
            read.close();
        }
    }

    private void copied(ByteBuf piece, boolean first, boolean last) {
        if (state == State.ENDED) {
            piece.release();
            read.close();
            return;
        }
        state = State.IDLE;
        sentBytes += piece.readableBytes();
        if (last && sentBytes != Proto.PREFIX_BYTES + outline.messageBytes()) {
            failed(piece, new IllegalStateException("a long answer came to " + sentBytes + " bytes"));
            return;
        }
        raw.sendPart(piece, first);
        if (last) {
            end();
            call.finish(Status.OK);
        } else {
            advance();
        }
    }

    private void failed(ByteBuf piece, Throwable failure) {
        piece.release();
        if (state == State.ENDED) {
            read.close();
            return;
        }
        state = State.IDLE;
        end();
        call.broken(failure);
    }

    /** The call is over, by whatever way. */
    void end() {
        State before = state;
        state = State.ENDED;
        if (before == State.IDLE) {
            read.close();
        }
    }

    @SuppressWarnings("FutureReturnValueIgnored") // timers of a loop end with it
    private void watchPace() {
        raw.loop().schedule(this::checkPace, pace.periodNanos(), TimeUnit.NANOSECONDS);
    }

    private void checkPace() {
        if (state == State.ENDED) {
            return;
        }
        long taken = sentBytes - raw.queuedBytes();
        if (read.holdsCompaction() && taken - takenBefore < pace.bytes()) {
            end();
            call.finish(TOO_SLOW);
            return;
        }
        takenBefore = taken;
        watchPace();
    }
}

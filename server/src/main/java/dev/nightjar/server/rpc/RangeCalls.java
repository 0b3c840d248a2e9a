/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.rpc;

import dev.nightjar.core.apply.ApiError;
import dev.nightjar.core.mvcc.FutureRevisionException;
import dev.nightjar.core.mvcc.RangeCursor;
import dev.nightjar.core.mvcc.RangeQuery;
import dev.nightjar.core.mvcc.RangeResult;
import dev.nightjar.core.mvcc.ReadTooLargeException;
import dev.nightjar.core.mvcc.RevisionCompactedException;
import dev.nightjar.server.node.Node;
import dev.nightjar.wire.RawCall;
import io.grpc.Status;
import io.netty.buffer.ByteBuf;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Answers the unary range. Each call runs on its own loop; how far depends on the answer's length:
 *
 * <pre>
 *   few keys, up to 1 MiB     read and encoded on the loop
 *   many keys, up to 1 MiB    on a reader thread, in one buffer
 *   more                      found and measured on a reader thread, sent by a {@link PiecedReply}
 * </pre>
 *
 * A message is compressed as a whole, as its length goes out before it. So a client that asked for it gets answers up to
 * 16 MiB compressed, on the reader thread, and longer ones as they are, which gRPC allows for each message.
 */
final class RangeCalls {
    /** Keys that a read may take on the loop itself: at a tenth of a microsecond each it holds nobody else up. */
    private static final long INLINE_KEYS = 1024;

    /** Bytes that a read may copy on the loop itself, well under a millisecond; beyond, an answer is made in pieces. */
    static final long WHOLE_BYTES = 1 << 20;

    /** Compressing more takes a reader thread for most of a second. */
    static final long COMPRESSED_BYTES = 16 << 20;

    private final Node node;
    private final KvReplies replies;
    private final RequestObserver observer;
    private final AnswerGate gate;

    RangeCalls(Node node, KvReplies replies, RequestObserver observer, AnswerGate gate) {
        this.gate = gate;
        this.node = node;
        this.replies = replies;
        this.observer = observer;
    }

    /** Nothing is read, and less encoded, before the client has taken enough of earlier answers. */
    void answer(UnaryCall call, RangeQuery query) {
        call.raw().whenRoom(0, () -> {
            Runnable quick = readQuickly(call, query);
            if (quick != null) {
                quick.run();
                return;
            }
            long expected = call.raw().compresses() ? 2 * COMPRESSED_BYTES : WHOLE_BYTES;
            call.raw()
                    .whenRoom(
                            expected,
                            () -> gate.whenFree(call, sortBytes(query), leave -> readAndLeave(call, query, leave)));
        });
    }

    private void readAndLeave(UnaryCall call, RangeQuery query, Runnable leave) {
        call.onReader(
                node,
                () -> {
                    Runnable answer = read(call, query);
                    return () -> {
                        call.step(answer);
                        leave.run();
                    };
                },
                leave);
    }

    /** What sorting takes of the heap; little needs no room of its own. */
    private long sortBytes(RangeQuery query) {
        long bytes = node.store().cursorBytes(query);
        return bytes > AnswerSizes.SMALL_BYTES ? bytes : 0;
    }

    /** On the loop; null, with no work done on the values, if the answer is long. */
    private @Nullable Runnable readQuickly(UnaryCall call, RangeQuery query) {
        return observed(call, () -> query.isSingleKey() ? readOne(call, query) : readFew(call, query));
    }

    private @Nullable Runnable readOne(UnaryCall call, RangeQuery query) {
        RangeResult result = node.store().range(query);
        if (KvReplies.maxRangeBytes(result, query.keysOnly()) > WHOLE_BYTES) {
            return null;
        }
        long revision = headerRevision(query, result.revision());
        ByteBuf answer = replies.range(call.raw(), revision, result, query.keysOnly());
        return () -> call.reply(answer);
    }

    private @Nullable Runnable readFew(UnaryCall call, RangeQuery query) {
        try (RangeCursor cursor = node.store().shortCursor(query, INLINE_KEYS, node.answers())) {
            if (cursor == null || cursor.bytes() > WHOLE_BYTES) {
                return null;
            }
            ByteBuf answer = replies.range(call.raw(), headerRevision(query, cursor.revision()), cursor);
            return () -> call.reply(answer);
        }
    }

    /** On a reader thread: what the loop is to do then. */
    private Runnable read(UnaryCall call, RangeQuery query) {
        Runnable answer = observed(call, () -> {
            RangeCursor cursor = node.store().cursor(query, node.answers());
            boolean kept = false;
            try {
                Runnable reply = reply(call, query, cursor);
                kept = reply instanceof Sending;
                return reply;
            } finally {
                if (!kept) {
                    cursor.close();
                }
            }
        });
        return answer == null ? () -> {} : answer;
    }

    /** Takes over the cursor of a long answer until it is sent. */
    private record Sending(UnaryCall call, PiecedReply reply) implements Runnable {
        @Override
        public void run() {
            call.send(reply);
        }
    }

    private Runnable reply(UnaryCall call, RangeQuery query, RangeCursor cursor) {
        RawCall raw = call.raw();
        KvReplies.Outline outline = replies.outline(headerRevision(query, cursor.revision()), cursor);
        long bytes = outline.messageBytes();
        if (bytes > KvReplies.MAX_MESSAGE_BYTES) {
            return () -> call.finish(KvReplies.tooLarge(bytes));
        }
        if (bytes <= WHOLE_BYTES) {
            ByteBuf answer = outline.write(raw, cursor);
            return () -> call.reply(answer);
        }
        if (raw.compresses() && bytes <= COMPRESSED_BYTES && raw.hasMemoryFor(2 * bytes)) {
            ByteBuf answer = raw.compress(outline.write(raw, cursor));
            return () -> call.reply(answer);
        }
        return new Sending(call, new PiecedReply(call, node.readers(), outline, cursor, PiecedReply.Pace.DEFAULT));
    }

    /** At an older revision the header still tells the newest one. */
    private long headerRevision(RangeQuery query, long read) {
        return query.revision() > 0 ? node.store().publishedRevision() : read;
    }

    /** Runs a read and tells the metrics about it, unless it gave up; what it fails with becomes an answer. */
    private @Nullable Runnable observed(UnaryCall call, Supplier<@Nullable Runnable> read) {
        long startNanos = System.nanoTime();
        Status failure;
        try {
            Runnable answer = read.get();
            if (answer != null) {
                observer.ranged(true, System.nanoTime() - startNanos);
            }
            return answer;
        } catch (RevisionCompactedException e) {
            failure = Errors.status(ApiError.COMPACTED);
        } catch (FutureRevisionException e) {
            failure = Errors.status(ApiError.FUTURE_REVISION);
        } catch (ReadTooLargeException e) {
            failure = KvReplies.NO_MEMORY;
        }
        observer.ranged(false, System.nanoTime() - startNanos);
        return () -> call.finish(failure);
    }
}

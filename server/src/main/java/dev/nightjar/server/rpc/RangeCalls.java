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
import dev.nightjar.core.mvcc.ReadEstimate;
import dev.nightjar.core.mvcc.ReadTooLargeException;
import dev.nightjar.core.mvcc.RevisionCompactedException;
import dev.nightjar.server.node.Node;
import io.grpc.Status;
import io.netty.buffer.ByteBuf;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Answers the unary range. Each call runs on its own loop; how far depends on the answer's length:
 *
 * <pre>
 *   few keys, up to 1 MiB     read and encoded on the loop
 *   all others                on a reader thread, see {@link LongReplies}
 * </pre>
 */
final class RangeCalls {
    /** Keys that a read may take on the loop itself: at a tenth of a microsecond each it holds nobody else up. */
    private static final long INLINE_KEYS = 1024;

    private final Node node;
    private final KvReplies replies;
    private final RequestObserver observer;
    private final AnswerGate gate;
    private final LongReplies longReplies;
    private final ReadEstimate estimate;

    RangeCalls(Node node, KvReplies replies, LongReplies longReplies, RequestObserver observer, AnswerGate gate) {
        this.longReplies = longReplies;
        this.gate = gate;
        this.node = node;
        this.replies = replies;
        this.observer = observer;
        this.estimate = new ReadEstimate(node.store());
    }

    /** Nothing is read, and less encoded, before the client has taken enough of earlier answers. */
    void answer(UnaryCall call, RangeQuery query) {
        call.raw().whenRoom(0, () -> {
            Runnable quick = readQuickly(call, query);
            if (quick != null) {
                quick.run();
                return;
            }
            long expected = call.raw().compresses() ? 2 * LongReplies.COMPRESSED_BYTES : LongReplies.WHOLE_BYTES;
            call.raw().whenRoom(expected, () -> gate.whenFree(call, sortBytes(query), () -> readLong(call, query)));
        });
    }

    private void readLong(UnaryCall call, RangeQuery query) {
        call.onReader(node, () -> {
            Runnable answer = read(call, query);
            return () -> call.lastStep(answer);
        });
    }

    /** What sorting takes of the heap; little needs no room of its own. */
    private long sortBytes(RangeQuery query) {
        long bytes = estimate.sortBytes(query);
        return bytes > AnswerSizes.SMALL_BYTES ? bytes : 0;
    }

    /** On the loop; null, with no work done on the values, if the answer is long. */
    private @Nullable Runnable readQuickly(UnaryCall call, RangeQuery query) {
        return observed(call, () -> query.isSingleKey() ? readOne(call, query) : readFew(call, query));
    }

    private @Nullable Runnable readOne(UnaryCall call, RangeQuery query) {
        RangeResult result = node.store().range(query);
        if (KvReplies.maxRangeBytes(result, query.keysOnly()) > LongReplies.WHOLE_BYTES) {
            return null;
        }
        long revision = headerRevision(query, result.revision());
        ByteBuf answer = replies.range(call.raw(), revision, result, query.keysOnly());
        return () -> call.reply(answer);
    }

    private @Nullable Runnable readFew(UnaryCall call, RangeQuery query) {
        try (RangeCursor cursor = node.store().shortCursor(query, INLINE_KEYS, node.answers())) {
            if (cursor == null || cursor.bytes() > LongReplies.WHOLE_BYTES) {
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
            return longReplies.reply(
                    call, replies.rangeOutline(headerRevision(query, cursor.revision()), cursor), cursor);
        });
        return answer == null ? () -> {} : answer;
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

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.rpc;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.nightjar.api.etcdserverpb.RangeRequest;
import dev.nightjar.core.apply.ApiError;
import dev.nightjar.core.apply.RangeQueries;
import dev.nightjar.core.apply.RequestChecks;
import dev.nightjar.core.mvcc.FutureRevisionException;
import dev.nightjar.core.mvcc.RangeCursor;
import dev.nightjar.core.mvcc.RangeQuery;
import dev.nightjar.core.mvcc.RevisionCompactedException;
import dev.nightjar.server.node.Node;
import dev.nightjar.wire.RawCall;
import io.grpc.Metadata;
import io.grpc.Status;
import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One {@code KV.RangeStream}: a range at one revision in pieces. Owned by its loop; pieces are read on a reader thread,
 * one at a time, and the next one only when the client takes it.
 *
 * <p>A piece comes to about the size of a request; see {@link PieceSize}. Only the last piece carries header, count and
 * more.
 */
final class RangeStreamCall implements RawCall.Listener {
    private static final Logger LOG = LoggerFactory.getLogger(RangeStreamCall.class);
    private static final Status NO_MESSAGE =
            Status.INTERNAL.withDescription("a range stream takes one request message, but none came");

    private final RawCall call;
    private final Node node;
    private final KvReplies replies;
    private final PieceSize size;
    private final int pieceBytes;
    private boolean requested;
    private boolean reading;
    private boolean ended;
    private @Nullable Progress progress;

    /** @param pieceBytes what a piece should come to */
    RangeStreamCall(RawCall call, Node node, KvReplies replies, int pieceBytes) {
        this.call = call;
        this.node = node;
        this.replies = replies;
        this.size = new PieceSize(pieceBytes);
        this.pieceBytes = pieceBytes;
    }

    /**
     * Where the stream is.
     *
     * @param query what is left to read; its limit is that of the client. Its revision is pinned by the first piece, so
     *     that no compaction can come between the choice of the newest revision and the first read at it
     * @param headerRevision the store's revision when the stream began; 0 before the first piece if that chooses it
     * @param count keys in the whole range, -1 before the first piece
     * @param keys most keys of the next piece
     */
    private record Progress(RangeQuery query, long headerRevision, long count, int keys) {
        RangeQuery next() {
            return query.withLimit(query.limit() > 0 ? Math.min(query.limit(), keys) : keys);
        }
    }

    /** An encoded piece, and where the stream is after it; null at its end. */
    private record Piece(ByteBuf bytes, @Nullable Progress then) {}

    @Override
    public void onMessage(ByteBuf message) {
        if (requested) {
            finish(Status.INTERNAL.withDescription("a range stream takes one request message, but more came"));
            return;
        }
        requested = true;
        RangeRequest request;
        try {
            request = RangeRequest.parseFrom(message.nioBuffer());
        } catch (InvalidProtocolBufferException e) {
            finish(Messages.malformed(e));
            return;
        }
        ApiError error = RequestChecks.checkStream(request);
        if (error != null) {
            finish(Errors.status(error));
        } else if (request.getSerializable()) {
            begin(RangeQueries.of(request));
        } else {
            node.afterReadBarrier(call.loop(), failure -> {
                if (failure != null) {
                    finish(Errors.status(failure));
                } else {
                    begin(RangeQueries.of(request));
                }
            });
        }
    }

    private void begin(RangeQuery query) {
        long revision = query.revision() > 0 ? node.store().publishedRevision() : 0;
        RangeQuery byKey = query.withSort(RangeQuery.SortTarget.KEY, RangeQuery.SortOrder.NONE);
        progress = new Progress(byKey, revision, -1, PieceSize.FIRST_KEYS);
        advance();
    }

    /** Reads the next piece if the client takes one. */
    private void advance() {
        Progress current = progress;
        if (ended || reading || current == null || !call.isWritable()) {
            return;
        }
        if (!call.hasMemoryFor(pieceBytes)) {
            retry();
            return;
        }
        reading = true;
        call.whenRoom(pieceBytes, () -> readPiece(current));
    }

    private void retry() {
        reading = true;
        Retry.later(call, () -> {
            reading = false;
            advance();
        });
    }

    private void readPiece(Progress current) {
        try {
            node.readers().execute(() -> {
                Runnable answer = answer(current);
                call.loop().execute(answer);
            });
        } catch (RejectedExecutionException e) {
            finish(Errors.status(ApiError.TOO_MANY_REQUESTS));
        }
    }

    /** Reads the next piece, on a reader thread; returns what the loop is to do with it. */
    private Runnable answer(Progress current) {
        try {
            Piece piece = read(current);
            return () -> send(piece);
        } catch (RevisionCompactedException e) {
            return () -> finish(Errors.status(ApiError.COMPACTED));
        } catch (FutureRevisionException e) {
            return () -> finish(Errors.status(ApiError.FUTURE_REVISION));
        } catch (RuntimeException | Error e) {
            LOG.atError().setCause(e).log("a streamed range failed");
            return () -> finish(Status.INTERNAL.withDescription("range stream failed: " + e.getMessage()));
        }
    }

    private Piece read(Progress current) {
        RangeQuery query = current.query();
        RangeCursor read = node.store().piece(current.next(), pieceBytes, current.count() < 0);
        long header = Math.max(current.headerRevision(), read.revision());
        long count = current.count() < 0 ? read.count() : current.count();
        boolean limitReached = query.limit() > 0 && read.keys() >= query.limit();
        if (query.countOnly() || !read.more() || limitReached) {
            return new Piece(replies.lastPiece(call, header, read, read.more(), count), null);
        }
        byte[] key = read.lastKey();
        RangeQuery rest = query.from(Arrays.copyOf(key, key.length + 1)).atRevision(read.revision());
        RangeQuery limited = query.limit() > 0 ? rest.withLimit(query.limit() - read.keys()) : rest;
        int nextKeys = size.nextKeys(current.keys(), (int) read.keys(), read.bytes());
        return new Piece(replies.piece(call, read), new Progress(limited, header, count, nextKeys));
    }

    private void send(Piece piece) {
        reading = false;
        if (ended) {
            piece.bytes().release();
            return;
        }
        progress = piece.then();
        call.send(piece.bytes());
        if (progress == null) {
            finish(Status.OK);
        } else {
            advance();
        }
    }

    private void finish(Status status) {
        if (!ended) {
            ended = true;
            call.finish(status, new Metadata());
        }
    }

    @Override
    public void onHalfClose() {
        if (!requested) {
            finish(NO_MESSAGE);
        }
    }

    @Override
    public void onCancel(Status status) {
        ended = true;
    }

    @Override
    public void onWritable() {
        advance();
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.rpc;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.nightjar.api.etcdserverpb.CompactionRequest;
import dev.nightjar.api.etcdserverpb.DeleteRangeRequest;
import dev.nightjar.api.etcdserverpb.RangeRequest;
import dev.nightjar.api.etcdserverpb.TxnRequest;
import dev.nightjar.core.apply.ApiError;
import dev.nightjar.core.apply.CommandType;
import dev.nightjar.core.apply.PutCommand;
import dev.nightjar.core.apply.RangeQueries;
import dev.nightjar.core.apply.RequestChecks;
import dev.nightjar.core.apply.Result;
import dev.nightjar.core.apply.TxnCodec;
import dev.nightjar.core.apply.TxnReader;
import dev.nightjar.core.mvcc.FutureRevisionException;
import dev.nightjar.core.mvcc.RangeQuery;
import dev.nightjar.core.mvcc.RangeResult;
import dev.nightjar.core.mvcc.RevisionCompactedException;
import dev.nightjar.server.node.Node;
import dev.nightjar.server.node.PendingWrite;
import dev.nightjar.server.node.PhysicalCompaction;
import dev.nightjar.wire.RawCall;
import io.grpc.Status;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.handler.codec.http2.Http2Headers;
import java.io.IOException;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The KV service. Each call runs on its own loop: writes are checked here and handed to the {@link Node}, reads are
 * answered from the store, large ones by way of a reader thread.
 *
 * <p>Next on a write's way: {@link dev.nightjar.server.node.ProposalBatcher}, through {@link Node#submit}.
 */
public final class KvService {
    /** Keys that a read may take on the loop itself: at a microsecond each it holds nobody else up. */
    private static final long INLINE_KEYS = 512;

    /** Bytes that a read may copy on the loop itself: well under a millisecond. */
    private static final long INLINE_BYTES = 1 << 20;

    private final Node node;
    private final KvReplies replies;
    private final RequestObserver observer;
    private final int maxRequestBytes;
    private final int maxTxnOps;
    private final long memberId;

    public KvService(Node node, HeaderWriter headers, RequestObserver observer, int maxRequestBytes, int maxTxnOps) {
        this.node = node;
        this.observer = observer;
        this.replies = new KvReplies(headers);
        this.maxRequestBytes = maxRequestBytes;
        this.maxTxnOps = maxTxnOps;
        this.memberId = node.identity().memberId().value();
    }

    /** {@code KV.Put}. */
    void put(UnaryCall call, ByteBuf message) {
        byte[] body = ByteBufUtil.getBytes(message);
        PutCommand put;
        try {
            put = PutCommand.parse(body);
        } catch (IOException e) {
            call.finish(Messages.malformed(e));
            return;
        }
        long cost = RequestChecks.putCost(put.key().length, put.value().remaining());
        ApiError error = node.refusesForSpace(cost) ? ApiError.NO_SPACE : put.check();
        write(call, CommandType.PUT, body, error);
    }

    /** {@code KV.DeleteRange}. */
    void deleteRange(UnaryCall call, ByteBuf message) {
        byte[] body = ByteBufUtil.getBytes(message);
        try {
            DeleteRangeRequest request = DeleteRangeRequest.parseFrom(body);
            ApiError error = RequestChecks.check(request);
            call.raw()
                    .whenRoom(
                            AnswerSizes.expectedBytes(request),
                            () -> write(call, CommandType.DELETE_RANGE, body, error));
        } catch (InvalidProtocolBufferException e) {
            call.finish(Messages.malformed(e));
        }
    }

    /** {@code KV.Compact}. */
    void compact(UnaryCall call, ByteBuf message) {
        byte[] body = ByteBufUtil.getBytes(message);
        try {
            CompactionRequest request = CompactionRequest.parseFrom(body);
            if (request.getPhysical()) {
                compactPhysically(call, body, request.getRevision());
            } else {
                write(call, CommandType.COMPACTION, body, null);
            }
        } catch (InvalidProtocolBufferException e) {
            call.finish(Messages.malformed(e));
        }
    }

    /** Answers when history is gone; also when it was to be compacted already, as a way to wait for one that runs. */
    private void compactPhysically(UnaryCall call, byte[] body, long revision) {
        PhysicalCompaction place = node.waitForCompaction(call.raw().loop());
        if (place == null) {
            call.fail(ApiError.TOO_MANY_REQUESTS);
            return;
        }
        call.whenGone(place::leave);
        write(call, CommandType.COMPACTION, body, null, result -> {
            switch (result) {
                case Result.Compacted done -> place.await(revision, error -> call.step(() -> compacted(call, error)));
                case Result.Failed(ApiError why)
                when why == ApiError.COMPACTED ->
                    place.await(node.store().compactedRevision(), error -> call.fail(error == null ? why : error));
                default -> {
                    place.leave();
                    complete(call, result);
                }
            }
        });
    }

    private void compacted(UnaryCall call, @Nullable ApiError error) {
        if (error == null) {
            call.reply(replies.header(call.raw(), node.store().publishedRevision()));
        } else {
            call.fail(error);
        }
    }

    /** {@code KV.Txn}. */
    void txn(UnaryCall call, ByteBuf message) {
        byte[] body = ByteBufUtil.getBytes(message);
        TxnRequest request;
        try {
            request = TxnCodec.parse(body);
        } catch (IOException e) {
            call.finish(Messages.malformed(e));
            return;
        }
        ApiError error = node.refusesForSpace(RequestChecks.cost(request))
                ? ApiError.NO_SPACE
                : RequestChecks.check(request, maxTxnOps);
        if (error != null || !RequestChecks.isReadOnly(request)) {
            call.raw()
                    .whenRoom(
                            AnswerSizes.expectedBytes(request, AnswerSizes.WRITE_WITH_RANGE_BYTES),
                            () -> write(call, CommandType.TXN, body, error));
        } else if (RequestChecks.isSerializable(request)) {
            readTxn(call, request);
        } else {
            call.afterReadBarrier(node, () -> readTxn(call, request));
        }
    }

    private void readTxn(UnaryCall call, TxnRequest request) {
        call.raw()
                .whenRoom(
                        AnswerSizes.expectedBytes(request, AnswerSizes.LARGE_READ_BYTES),
                        () -> onReader(call, () -> {
                            Result result = TxnReader.read(node.store(), request, node.answers());
                            return () -> {
                                call.step(() -> complete(call, result));
                                node.answers().release(result.heldBytes());
                            };
                        }));
    }

    /** {@code KV.Range}. */
    void range(UnaryCall call, ByteBuf message) {
        RangeRequest request;
        try {
            request = RangeRequest.parseFrom(message.nioBuffer());
        } catch (InvalidProtocolBufferException e) {
            call.finish(Messages.malformed(e));
            return;
        }
        ApiError error = RequestChecks.check(request);
        if (error != null) {
            call.fail(error);
            return;
        }
        RangeQuery query = RangeQueries.of(request);
        if (request.getSerializable()) {
            range(call, query);
        } else {
            call.afterReadBarrier(node, () -> range(call, query));
        }
    }

    /** {@code KV.RangeStream}. */
    RawCall.Listener rangeStream(RawCall call, Http2Headers headers) {
        return new RangeStreamCall(call, node, replies, maxRequestBytes);
    }

    /** Nothing is read, and less encoded, before the client has taken enough of earlier answers. */
    private void range(UnaryCall call, RangeQuery query) {
        call.raw().whenRoom(0, () -> {
            Framed quick = isQuick(query) ? encodeRange(call, query, INLINE_BYTES) : null;
            if (quick != null) {
                quick.send(call);
            } else {
                call.raw().whenRoom(AnswerSizes.LARGE_READ_BYTES, () -> rangeOnReader(call, query));
            }
        });
    }

    private void rangeOnReader(UnaryCall call, RangeQuery query) {
        onReader(call, () -> {
            Framed framed = Objects.requireNonNull(encodeRange(call, query, KvReplies.MAX_MESSAGE_BYTES));
            return () -> framed.send(call);
        });
    }

    /**
     * Has a reader thread do something, and the call's loop answer with the outcome. The call ends in any case: also if
     * no reader takes the task, or if it fails.
     */
    private void onReader(UnaryCall call, Supplier<Runnable> read) {
        try {
            node.readers().execute(() -> {
                Runnable answer;
                try {
                    answer = read.get();
                } catch (RuntimeException | Error e) {
                    answer = () -> call.broken(e);
                }
                call.raw().loop().execute(answer);
            });
        } catch (RejectedExecutionException e) {
            call.fail(ApiError.TOO_MANY_REQUESTS);
        }
    }

    /** Whether a read touches few enough keys to be done on the loop; finding that out is cheap too. */
    private boolean isQuick(RangeQuery query) {
        if (query.isSingleKey()) {
            return true;
        }
        // Counting at an old revision walks the range.
        return query.revision() <= 0
                && (query.countOnly()
                        || node.store().range(query.withCountOnly()).count() <= INLINE_KEYS);
    }

    /** What a range's call is to be answered with. */
    private sealed interface Framed {
        void send(UnaryCall call);

        record Answer(ByteBuf bytes) implements Framed {
            @Override
            public void send(UnaryCall call) {
                call.reply(bytes);
            }
        }

        record Failure(Status status) implements Framed {
            @Override
            public void send(UnaryCall call) {
                call.finish(status);
            }
        }
    }

    /** Reads and encodes; null, with no work done on the values, if the answer takes more bytes than {@code mostBytes}. */
    private @Nullable Framed encodeRange(UnaryCall call, RangeQuery query, long mostBytes) {
        long startNanos = System.nanoTime();
        Framed framed = encode(call, query, mostBytes);
        if (framed != null) {
            observer.ranged(framed instanceof Framed.Answer, System.nanoTime() - startNanos);
        }
        return framed;
    }

    private @Nullable Framed encode(UnaryCall call, RangeQuery query, long mostBytes) {
        try {
            RangeResult result = node.store().range(query);
            // At an older revision the header still tells the newest one.
            long revision = query.revision() > 0 ? node.store().publishedRevision() : result.revision();
            long bytes = KvReplies.maxRangeBytes(result, query.keysOnly());
            if (bytes > KvReplies.MAX_MESSAGE_BYTES) {
                return new Framed.Failure(KvReplies.tooLarge(bytes));
            }
            if (bytes > mostBytes) {
                return null;
            }
            return bytes <= INLINE_BYTES || call.raw().hasMemoryFor(bytes)
                    ? new Framed.Answer(replies.range(call.raw(), revision, result, query.keysOnly()))
                    : new Framed.Failure(KvReplies.NO_MEMORY);
        } catch (RevisionCompactedException e) {
            return new Framed.Failure(Errors.status(ApiError.COMPACTED));
        } catch (FutureRevisionException e) {
            return new Framed.Failure(Errors.status(ApiError.FUTURE_REVISION));
        }
    }

    private void write(UnaryCall call, CommandType type, byte[] body, @Nullable ApiError refused) {
        write(call, type, body, refused, result -> complete(call, result));
    }

    private void write(
            UnaryCall call, CommandType type, byte[] body, @Nullable ApiError refused, Consumer<Result> then) {
        if (refused != null) {
            then.accept(new Result.Failed(refused));
        } else if (body.length + RequestSize.envelopeBytes(memberId, body.length) > maxRequestBytes) {
            then.accept(new Result.Failed(ApiError.REQUEST_TOO_LARGE));
        } else {
            long startNanos = System.nanoTime();
            node.submit(new PendingWrite(type, body, call.raw().loop()) {
                @Override
                protected void complete(Result result) {
                    ApiError error = result instanceof Result.Failed failed ? failed.error() : null;
                    observer.written(type, error, System.nanoTime() - startNanos);
                    call.step(() -> then.accept(result));
                }
            });
        }
    }

    private void complete(UnaryCall call, Result result) {
        RawCall raw = call.raw();
        switch (result) {
            case Result.Put put -> call.reply(replies.put(raw, put));
            case Result.Deleted deleted -> reply(call, KvReplies.bytes(deleted), () -> replies.deleted(raw, deleted));
            case Result.Txn txn -> reply(call, KvReplies.bytes(txn), () -> replies.txn(raw, txn));
            case Result.Unanswered unanswered -> call.finish(KvReplies.NO_HEAP);
            case Result.Compacted compacted -> call.reply(replies.header(raw, compacted.revision()));
            case Result.MemberStored stored -> call.reply(replies.header(raw, stored.revision()));
            case Result.Alarms alarms -> call.reply(replies.header(raw, alarms.revision()));
            case Result.Failed failed -> call.fail(failed.error());
        }
    }

    /** Encodes and sends, if there is memory; what was written stays so. */
    private static void reply(UnaryCall call, long bytes, Supplier<ByteBuf> encode) {
        if (bytes <= INLINE_BYTES || call.raw().hasMemoryFor(bytes)) {
            call.reply(encode.get());
        } else {
            call.finish(KvReplies.NO_MEMORY);
        }
    }
}

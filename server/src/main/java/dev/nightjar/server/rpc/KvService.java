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
import dev.nightjar.core.mvcc.RangeQuery;
import dev.nightjar.server.node.Node;
import dev.nightjar.server.node.PendingWrite;
import dev.nightjar.server.node.PhysicalCompaction;
import dev.nightjar.wire.RawCall;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.handler.codec.http2.Http2Headers;
import java.io.IOException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The KV service. Each call runs on its own loop: writes are checked here and handed to the {@link Node}, reads are
 * answered from the store, ranges by {@link RangeCalls}.
 *
 * <p>Next on a write's way: {@link dev.nightjar.server.node.ProposalBatcher}, through {@link Node#submit}.
 */
public final class KvService {
    private final Node node;
    private final KvReplies replies;
    private final RangeCalls ranges;
    private final AnswerGate gate;
    private final DeleteLimit deleteLimit =
            DeleteLimit.ofHeap(Runtime.getRuntime().maxMemory());
    private final RequestObserver observer;
    private final int maxRequestBytes;
    private final int maxTxnOps;
    private final long memberId;

    public KvService(Node node, HeaderWriter headers, RequestObserver observer, int maxRequestBytes, int maxTxnOps) {
        this.node = node;
        this.observer = observer;
        this.replies = new KvReplies(headers);
        this.gate = new AnswerGate(node.answers().limitBytes() / 2);
        this.ranges = new RangeCalls(node, replies, observer, gate);
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
        long answerBytes = error == null && put.previous() ? sizes(0).expectedBytes(put.key()) : 0;
        write(call, CommandType.PUT, body, error, answerBytes);
    }

    /** {@code KV.DeleteRange}. */
    void deleteRange(UnaryCall call, ByteBuf message) {
        byte[] body = ByteBufUtil.getBytes(message);
        try {
            DeleteRangeRequest request = DeleteRangeRequest.parseFrom(body);
            ApiError error = RequestChecks.check(request);
            if (error == null && deleteLimit.isExceededBy(request, node.store())) {
                error = ApiError.REQUEST_TOO_LARGE;
            }
            long answerBytes =
                    error == null ? sizes(AnswerSizes.WRITE_WITH_RANGE_BYTES).expectedBytes(request) : 0;
            write(call, CommandType.DELETE_RANGE, body, error, answerBytes);
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
                write(call, CommandType.COMPACTION, body, null, 0);
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
        write(call, new Write(CommandType.COMPACTION, body, 0), null, result -> {
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
            writeTxn(call, request, body, error);
        } else if (RequestChecks.isSerializable(request)) {
            readTxn(call, request);
        } else {
            call.afterReadBarrier(node, () -> readTxn(call, request));
        }
    }

    private void writeTxn(UnaryCall call, TxnRequest request, byte[] body, @Nullable ApiError refused) {
        ApiError error = refused == null && deleteLimit.isExceededBy(request, node.store())
                ? ApiError.REQUEST_TOO_LARGE
                : refused;
        long answerBytes =
                error == null ? sizes(AnswerSizes.WRITE_WITH_RANGE_BYTES).expectedBytes(request) : 0;
        write(call, CommandType.TXN, body, error, answerBytes);
    }

    private void readTxn(UnaryCall call, TxnRequest request) {
        long answerBytes = sizes(AnswerSizes.LARGE_READ_BYTES).expectedBytes(request);
        whenRoom(
                call,
                answerBytes,
                leave -> call.onReader(
                        node,
                        () -> {
                            Result result = TxnReader.read(node.store(), request, node.answers());
                            return () -> {
                                call.step(() -> complete(call, result));
                                node.answers().release(result.heldBytes());
                            };
                        },
                        leave));
    }

    private AnswerSizes sizes(long largeBytes) {
        return new AnswerSizes(query -> node.store().length(query), largeBytes);
    }

    /** Goes on when connection and process have room for an answer of this size. */
    private void whenRoom(UnaryCall call, long answerBytes, Consumer<Runnable> go) {
        call.raw().whenRoom(answerBytes, () -> gate.whenFree(call, answerBytes, go));
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
            ranges.answer(call, query);
        } else {
            call.afterReadBarrier(node, () -> ranges.answer(call, query));
        }
    }

    /** {@code KV.RangeStream}. */
    RawCall.Listener rangeStream(RawCall call, Http2Headers headers) {
        return new RangeStreamCall(call, node, replies, maxRequestBytes);
    }

    private void write(UnaryCall call, CommandType type, byte[] body, @Nullable ApiError refused, long answerBytes) {
        write(call, new Write(type, body, answerBytes), refused, result -> complete(call, result));
    }

    /** A command, and how large its answer may become. */
    private record Write(CommandType type, byte[] body, long answerBytes) {}

    private void write(UnaryCall call, Write write, @Nullable ApiError refused, Consumer<Result> then) {
        if (refused != null) {
            then.accept(new Result.Failed(refused));
        } else if (write.body.length + RequestSize.envelopeBytes(memberId, write.body.length) > maxRequestBytes) {
            then.accept(new Result.Failed(ApiError.REQUEST_TOO_LARGE));
        } else {
            whenRoom(call, write.answerBytes, leave -> submit(call, write, then, leave));
        }
    }

    private void submit(UnaryCall call, Write write, Consumer<Result> then, Runnable leave) {
        long startNanos = System.nanoTime();
        node.submit(new PendingWrite(write.type, write.body, call.raw().loop()) {
            @Override
            protected void complete(Result result) {
                ApiError error = result instanceof Result.Failed failed ? failed.error() : null;
                observer.written(write.type, error, System.nanoTime() - startNanos);
                call.step(() -> then.accept(result));
                leave.run();
            }
        });
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
        if (bytes <= RangeCalls.WHOLE_BYTES || call.raw().hasMemoryFor(bytes)) {
            call.reply(encode.get());
        } else {
            call.finish(KvReplies.NO_MEMORY);
        }
    }
}

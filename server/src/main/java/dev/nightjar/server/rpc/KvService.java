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
import dev.nightjar.core.mvcc.ReadEstimate;
import dev.nightjar.server.node.Node;
import dev.nightjar.server.node.PendingWrite;
import dev.nightjar.server.node.PhysicalCompaction;
import dev.nightjar.server.rpc.AnswerSizes.Expected;
import dev.nightjar.wire.RawCall;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.handler.codec.http2.Http2Headers;
import java.io.IOException;
import java.util.function.Consumer;
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
    private final LongReplies longReplies;
    private final AnswerGate gate;
    private final ReadEstimate estimate;
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
        this.longReplies = new LongReplies(node.readers(), node.answers(), replies);
        this.ranges = new RangeCalls(node, replies, longReplies, observer, gate);
        this.estimate = new ReadEstimate(node.store());
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
        Expected expected = error == null && put.previous() ? sizes().expected(put.key()) : Expected.LITTLE;
        write(call, CommandType.PUT, body, error, expected);
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
            Expected expected = error == null ? sizes().expected(request) : Expected.LITTLE;
            write(call, CommandType.DELETE_RANGE, body, error, expected);
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
                write(call, CommandType.COMPACTION, body, null, Expected.LITTLE);
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
        write(call, new Write(CommandType.COMPACTION, body, Expected.LITTLE), null, result -> {
            switch (result) {
                case Result.Compacted accepted ->
                    place.await(revision, error -> call.step(() -> compacted(call, error)));
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
        write(call, CommandType.TXN, body, error, error == null ? sizes().expected(request) : Expected.LITTLE);
    }

    private void readTxn(UnaryCall call, TxnRequest request) {
        whenRoom(call, sizes().expected(request), () -> call.onReader(node, () -> readNow(call, request)));
    }

    /** On a reader thread: what the loop is to do then. */
    private Runnable readNow(UnaryCall call, TxnRequest request) {
        Result result = TxnReader.read(node.store(), request, node.answers());
        return () -> {
            call.holds(() -> node.answers().release(result.heldBytes()));
            complete(call, result);
        };
    }

    private AnswerSizes sizes() {
        return new AnswerSizes(estimate::heldBytes, estimate::sortBytes);
    }

    /** Goes on when connection and process have room for an answer of this size. */
    private void whenRoom(UnaryCall call, Expected expected, Runnable go) {
        call.raw().whenRoom(expected.answerBytes(), () -> gate.whenFree(call, expected.memoryBytes(), go));
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

    private void write(UnaryCall call, CommandType type, byte[] body, @Nullable ApiError refused, Expected expected) {
        write(call, new Write(type, body, expected), refused, result -> complete(call, result));
    }

    /** A command, and how large its answer may become. */
    private record Write(CommandType type, byte[] body, Expected expected) {}

    private void write(UnaryCall call, Write write, @Nullable ApiError refused, Consumer<Result> then) {
        if (refused != null) {
            then.accept(new Result.Failed(refused));
        } else if (write.body.length + RequestSize.envelopeBytes(memberId, write.body.length) > maxRequestBytes) {
            then.accept(new Result.Failed(ApiError.REQUEST_TOO_LARGE));
        } else {
            whenRoom(call, write.expected, () -> submit(call, write, then));
        }
    }

    private void submit(UnaryCall call, Write write, Consumer<Result> then) {
        long startNanos = System.nanoTime();
        node.submit(new PendingWrite(write.type, write.body, call.raw().loop()) {
            @Override
            protected void complete(Result result) {
                ApiError error = result instanceof Result.Failed failed ? failed.error() : null;
                observer.written(write.type, error, System.nanoTime() - startNanos);
                then.accept(result);
            }
        });
    }

    private void complete(UnaryCall call, Result result) {
        RawCall raw = call.raw();
        switch (result) {
            case Result.Deferred deferred -> longReplies.answer(call, deferred);
            case Result.Deleted deleted -> call.lastStep(() -> call.reply(replies.deleted(raw, deleted)));
            case Result.Txn txn -> call.lastStep(() -> call.reply(replies.txn(raw, txn)));
            case Result.Put put -> call.lastStep(() -> call.reply(replies.put(raw, put)));
            case Result.Unanswered unanswered ->
                throw new IllegalStateException("a call waits for a result that nobody was to wait for");
            case Result.Compacted compacted -> header(call, compacted.revision());
            case Result.MemberStored stored -> header(call, stored.revision());
            case Result.Alarms alarms -> header(call, alarms.revision());
            case Result.Failed failed -> call.lastStep(() -> call.fail(failed.error()));
        }
    }

    private void header(UnaryCall call, long revision) {
        call.lastStep(() -> call.reply(replies.header(call.raw(), revision)));
    }
}

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
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
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
    /** How often an answer looks for memory: for ten seconds, in which others have left if anybody reads. */
    private static final int MEMORY_TRIES = 500;

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
        write(call, new Write(CommandType.COMPACTION, body, 0), null, (result, done) -> {
            switch (result) {
                case Result.Compacted accepted ->
                    place.await(revision, error -> call.step(() -> compacted(call, error)));
                case Result.Failed(ApiError why)
                when why == ApiError.COMPACTED ->
                    place.await(node.store().compactedRevision(), error -> call.fail(error == null ? why : error));
                default -> {
                    place.leave();
                    complete(call, result, done);
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
        whenRoom(call, answerBytes, leave -> call.onReader(node, () -> readTxn(call, request, leave), leave));
    }

    /** On a reader thread: what the loop is to do then. */
    private Runnable readTxn(UnaryCall call, TxnRequest request, Runnable leave) {
        Result result = TxnReader.read(node.store(), request, node.answers());
        return () -> complete(call, result, () -> {
            node.answers().release(result.heldBytes());
            leave.run();
        });
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
        write(call, new Write(type, body, answerBytes), refused, (result, done) -> complete(call, result, done));
    }

    /** A command, and how large its answer may become. */
    private record Write(CommandType type, byte[] body, long answerBytes) {}

    private void write(UnaryCall call, Write write, @Nullable ApiError refused, BiConsumer<Result, Runnable> then) {
        if (refused != null) {
            then.accept(new Result.Failed(refused), KvService::nothing);
        } else if (write.body.length + RequestSize.envelopeBytes(memberId, write.body.length) > maxRequestBytes) {
            then.accept(new Result.Failed(ApiError.REQUEST_TOO_LARGE), KvService::nothing);
        } else {
            whenRoom(call, write.answerBytes, leave -> submit(call, write, then, leave));
        }
    }

    private static void nothing() {
        // A write that was refused has taken no room.
    }

    private void submit(UnaryCall call, Write write, BiConsumer<Result, Runnable> then, Runnable leave) {
        long startNanos = System.nanoTime();
        node.submit(new PendingWrite(write.type, write.body, call.raw().loop()) {
            @Override
            protected void complete(Result result) {
                ApiError error = result instanceof Result.Failed failed ? failed.error() : null;
                observer.written(write.type, error, System.nanoTime() - startNanos);
                then.accept(result, leave);
            }
        });
    }

    /** Answers; {@code done} is run when the result is not needed any more. */
    private void complete(UnaryCall call, Result result, Runnable done) {
        RawCall raw = call.raw();
        switch (result) {
            case Result.Deleted deleted ->
                reply(call, new Reply(KvReplies.bytes(deleted), () -> replies.deleted(raw, deleted), done), 0);
            case Result.Txn txn -> reply(call, new Reply(KvReplies.bytes(txn), () -> replies.txn(raw, txn), done), 0);
            case Result.Put put -> small(call, () -> call.reply(replies.put(raw, put)), done);
            case Result.Unanswered unanswered -> small(call, () -> call.finish(KvReplies.NO_HEAP), done);
            case Result.Compacted compacted -> header(call, compacted.revision(), done);
            case Result.MemberStored stored -> header(call, stored.revision(), done);
            case Result.Alarms alarms -> header(call, alarms.revision(), done);
            case Result.Failed failed -> small(call, () -> call.fail(failed.error()), done);
        }
    }

    private void header(UnaryCall call, long revision, Runnable done) {
        small(call, () -> call.reply(replies.header(call.raw(), revision)), done);
    }

    private static void small(UnaryCall call, Runnable answer, Runnable done) {
        call.step(answer);
        done.run();
    }

    /** An answer that may need much memory, and what to run after it. */
    private record Reply(long bytes, Supplier<ByteBuf> encode, Runnable done) {}

    /** Encodes and sends when there is memory; if there is none for long the answer is an error. What was written stays so. */
    @SuppressWarnings("FutureReturnValueIgnored") // timers of a loop end with it
    private static void reply(UnaryCall call, Reply reply, int tries) {
        boolean room = reply.bytes <= RangeCalls.WHOLE_BYTES || call.raw().hasMemoryFor(reply.bytes);
        if (!room && tries < MEMORY_TRIES && !call.hasEnded()) {
            call.raw()
                    .loop()
                    .schedule(() -> reply(call, reply, tries + 1), PiecedReply.RETRY_MILLIS, TimeUnit.MILLISECONDS);
            return;
        }
        if (room) {
            call.step(() -> call.reply(reply.encode.get()));
        } else {
            call.finish(KvReplies.NO_MEMORY);
        }
        reply.done.run();
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;
import dev.nightjar.api.etcdserverpb.DeleteRangeRequest;
import dev.nightjar.api.etcdserverpb.DeleteRangeResponse;
import dev.nightjar.api.etcdserverpb.PutRequest;
import dev.nightjar.api.etcdserverpb.RangeRequest;
import dev.nightjar.api.etcdserverpb.RangeRequest.SortOrder;
import dev.nightjar.api.etcdserverpb.RequestOp;
import dev.nightjar.api.etcdserverpb.TxnRequest;
import dev.nightjar.api.etcdserverpb.TxnResponse;
import dev.nightjar.core.apply.AnswerBudget;
import dev.nightjar.core.apply.Applier;
import dev.nightjar.core.apply.CommandCodec;
import dev.nightjar.core.apply.CommandType;
import dev.nightjar.core.apply.Result;
import dev.nightjar.core.cluster.AlarmRegistry;
import dev.nightjar.core.cluster.MemberRegistry;
import dev.nightjar.core.mvcc.MvccStore;
import dev.nightjar.core.storage.FileSystem;
import dev.nightjar.core.storage.SegmentLog;
import dev.nightjar.core.watch.WatchLimits;
import dev.nightjar.core.watch.WatchObserver;
import dev.nightjar.core.watch.WatchableStore;
import io.grpc.Status;
import io.netty.channel.DefaultEventLoop;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 300, unit = TimeUnit.SECONDS)
final class LongRepliesTest {
    /** More than sorting begins with room for. */
    private static final int KEYS = 3000;

    @TempDir
    Path directory;

    private final DefaultEventLoop loop = new DefaultEventLoop();
    private final FakeCall fake = new FakeCall(loop);
    private final UnaryCall call = new UnaryCall(fake, (unary, request) -> {});
    private final AnswerBudget budget = new AnswerBudget(1 << 20);
    private volatile boolean readersBusy;
    private volatile boolean isDone;
    private final LongReplies longReplies =
            new LongReplies(this::read, budget, new KvReplies(new HeaderWriter(1, 2, () -> 3)));
    private MvccStore store;
    private Applier applier;
    private long index;

    @BeforeEach
    void open() throws IOException {
        store = MvccStore.open(SegmentLog.open(
                new SegmentLog.Options(FileSystem.real(), directory, SegmentLog.SEGMENT_BYTES, 1, Runnable::run)));
        applier = new Applier(
                store,
                new WatchableStore(store, WatchLimits.DEFAULT, WatchObserver.NONE),
                new MemberRegistry(store),
                new AlarmRegistry(store),
                budget);
        TxnRequest.Builder txn = TxnRequest.newBuilder();
        for (int i = 0; i < KEYS; i++) {
            txn.addSuccess(
                    RequestOp.newBuilder().setRequestPut(PutRequest.newBuilder().setKey(bytes("k%05d".formatted(i)))));
        }
        var _ = apply(CommandType.TXN, txn.build());
    }

    @AfterEach
    void close() throws Exception {
        loop.shutdownGracefully(0, 1, TimeUnit.SECONDS).await();
        store.close();
    }

    private void read(Runnable task) {
        if (readersBusy) {
            throw new RejectedExecutionException("busy");
        }
        task.run();
    }

    private static ByteString bytes(String text) {
        return ByteString.copyFromUtf8(text);
    }

    private Result apply(CommandType type, MessageLite request) {
        byte[] body = request.toByteArray();
        ByteBuffer entry =
                ByteBuffer.allocate(CommandCodec.ENTRY_HEADER_BYTES + CommandCodec.COMMAND_HEADER_BYTES + body.length);
        CommandCodec.putEntryHeader(entry, 1);
        CommandCodec.putCommand(entry, type, body);
        List<Result> results = new ArrayList<>();
        applier.apply(entry.flip(), results::add);
        applier.commit(++index, 1);
        budget.release(results.getFirst().heldBytes());
        return results.getFirst();
    }

    private Result.Deferred deleteAll() {
        return (Result.Deferred) apply(
                CommandType.DELETE_RANGE,
                DeleteRangeRequest.newBuilder()
                        .setKey(bytes("k"))
                        .setRangeEnd(bytes("l"))
                        .setPrevKv(true)
                        .build());
    }

    private Result.Deferred sortAll() {
        return (Result.Deferred) apply(
                CommandType.TXN,
                TxnRequest.newBuilder()
                        .addSuccess(RequestOp.newBuilder()
                                .setRequestRange(RangeRequest.newBuilder()
                                        .setKey(bytes("k"))
                                        .setRangeEnd(bytes("l"))
                                        .setSortOrder(SortOrder.DESCEND)))
                        .addSuccess(RequestOp.newBuilder()
                                .setRequestPut(PutRequest.newBuilder().setKey(bytes("x"))))
                        .build());
    }

    private void answer(Result.Deferred result) throws Exception {
        loop.submit(() -> {
                    call.holds(() -> isDone = true);
                    longReplies.answer(call, result);
                })
                .get();
    }

    private boolean onLoop(BooleanSupplier question) throws Exception {
        return loop.submit(question::getAsBoolean).get();
    }

    private void awaitEnd() throws Exception {
        while (onLoop(() -> fake.ended == null)) {
            Thread.onSpinWait();
        }
        assertThat(isDone).isTrue();
    }

    private boolean isHeld() {
        var _ = apply(
                CommandType.PUT, PutRequest.newBuilder().setKey(bytes("k00000")).build());
        store.compact(store.currentRevision());
        applier.commit(++index, 1);
        while (store.compactStep(Long.MAX_VALUE)) {
            assertThat(store.compactedRevision()).isPositive();
        }
        return store.compactionDoneRevision() < store.compactedRevision();
    }

    @Test
    void whatIsReadForAResultIsSentWithItsHeader() throws Exception {
        answer(deleteAll());
        awaitEnd();
        assertThat(fake.ended).isEqualTo(Status.OK);
        DeleteRangeResponse response = DeleteRangeResponse.parseFrom(fake.messages.getFirst());
        assertThat(response.getHeader().getRevision()).isEqualTo(3);
        assertThat(response.getDeleted()).isEqualTo(KEYS);
        assertThat(response.getPrevKvsCount()).isEqualTo(KEYS);
        assertThat(isHeld()).isFalse();
    }

    @Test
    void anAnswerWaitsForAReader() throws Exception {
        readersBusy = true;
        answer(deleteAll());
        assertThat(loop.schedule(() -> fake.ended == null, 100, TimeUnit.MILLISECONDS)
                        .get())
                .isTrue();
        readersBusy = false;
        awaitEnd();
        assertThat(fake.ended).isEqualTo(Status.OK);
    }

    @Test
    void anAnswerWaitsForMemoryToSortIn() throws Exception {
        Result.Deferred result = sortAll();
        long rest = budget.limitBytes() - budget.heldBytes();
        assertThat(budget.take(rest)).isTrue();
        answer(result);
        assertThat(loop.schedule(() -> fake.ended == null, 100, TimeUnit.MILLISECONDS)
                        .get())
                .isTrue();
        budget.release(rest);
        awaitEnd();
        assertThat(fake.ended).isEqualTo(Status.OK);
        assertThat(TxnResponse.parseFrom(fake.messages.getFirst())
                        .getResponses(0)
                        .getResponseRange()
                        .getKvs(0)
                        .getKey())
                .isEqualTo(bytes("k%05d".formatted(KEYS - 1)));
        assertThat(budget.heldBytes()).isZero();
    }

    @Test
    void nothingIsReadForAClientThatHasGone() throws Exception {
        Result.Deferred result = deleteAll();
        assertThat(isHeld()).isTrue();
        loop.submit(() -> call.onCancel(Status.CANCELLED)).get();
        answer(result);
        assertThat(isDone).isTrue();
        assertThat(isHeld()).isFalse();
    }
}

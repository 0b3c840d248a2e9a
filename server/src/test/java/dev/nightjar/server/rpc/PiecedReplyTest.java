/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nightjar.api.etcdserverpb.RangeResponse;
import dev.nightjar.core.apply.AnswerBudget;
import dev.nightjar.core.mvcc.MvccStore;
import dev.nightjar.core.mvcc.RangeCursor;
import dev.nightjar.core.mvcc.RangeQuery;
import dev.nightjar.core.mvcc.WriteTxn;
import dev.nightjar.core.storage.FileSystem;
import dev.nightjar.core.storage.SegmentLog;
import io.grpc.Status;
import io.netty.channel.DefaultEventLoop;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 300, unit = TimeUnit.SECONDS)
final class PiecedReplyTest {
    /** More than a cursor keeps places of, so that it pins its revision. */
    private static final int KEYS = RangeCursor.KEPT_PLACES + 1000;

    private static final byte[] ALL = {0};
    private static final PiecedReply.Pace STRICT =
            new PiecedReply.Pace(TimeUnit.MILLISECONDS.toNanos(20), Long.MAX_VALUE);

    @TempDir
    Path directory;

    private final DefaultEventLoop loop = new DefaultEventLoop();
    private final FakeCall fake = new FakeCall(loop);
    private final UnaryCall call = new UnaryCall(fake, (unary, request) -> {});
    private final Queue<Runnable> reads = new ArrayDeque<>();
    private final KvReplies replies = new KvReplies(new HeaderWriter(1, 2, () -> 3));
    private MvccStore store;
    private RangeCursor cursor;
    private boolean readersBusy;

    @BeforeEach
    void open() throws IOException {
        store = MvccStore.open(SegmentLog.open(
                new SegmentLog.Options(FileSystem.real(), directory, SegmentLog.SEGMENT_BYTES, 1, Runnable::run)));
        write("value".repeat(40));
        cursor = store.cursor(RangeQuery.range(ALL, ALL), AnswerBudget.ofHeap(1 << 30));
    }

    @AfterEach
    void close() throws Exception {
        loop.shutdownGracefully(0, 1, TimeUnit.SECONDS).await();
        store.close();
    }

    private void write(String value) {
        WriteTxn txn = store.begin();
        for (int i = 0; i < KEYS; i++) {
            txn.put(
                    "%08d".formatted(i).getBytes(StandardCharsets.UTF_8),
                    ByteBuffer.wrap(value.getBytes(StandardCharsets.UTF_8)),
                    0);
        }
        txn.end();
        store.commit(store.appliedIndex() + 1, 1);
        store.publish();
    }

    private void compactPast() {
        write("new");
        store.compact(store.currentRevision());
        store.commit(store.appliedIndex() + 1, 1);
        store.publish();
    }

    private boolean compactionIsThrough() {
        while (store.compactStep(Long.MAX_VALUE)) {
            assertThat(store.compactedRevision()).isPositive();
        }
        return store.compactionDoneRevision() == store.compactedRevision();
    }

    private void send(PiecedReply.Pace pace) throws Exception {
        onLoop(() -> call.send(new PiecedReply(
                call,
                read -> {
                    if (readersBusy) {
                        throw new RejectedExecutionException("busy");
                    }
                    reads.add(read);
                },
                replies.rangeOutline(7, cursor),
                cursor,
                pace)));
    }

    private void onLoop(Runnable task) throws Exception {
        loop.submit(task).get();
    }

    /** Runs the next read, and what the loop does then. */
    private void read() throws Exception {
        reads.remove().run();
        onLoop(() -> {});
    }

    @Test
    void theAnswerIsOneMessageOfPiecesThatAreMadeWhenTheyAreTaken() throws Exception {
        RangeResponse expected = RangeResponse.parseFrom(
                FakeCall.unframe(replies.range(new FakeCall(loop), 7, store.range(RangeQuery.range(ALL, ALL)), false))
                        .getFirst());
        send(PiecedReply.Pace.DEFAULT);
        while (fake.ended == null) {
            assertThat(reads).hasSize(1);
            read();
        }
        assertThat(fake.ended).isEqualTo(Status.OK);
        assertThat(fake.parts).hasSizeGreaterThan(2).allMatch(part -> part.length <= PiecedReply.PIECE_BYTES);
        assertThat(RangeResponse.parseFrom(fake.joinedParts())).isEqualTo(expected);
        assertThat(fake.buffers).allMatch(buffer -> buffer.refCnt() == 0);
        compactPast();
        assertThat(compactionIsThrough()).isTrue();
    }

    @Test
    void nothingIsMadeForAClientThatTakesNothing() throws Exception {
        fake.writable = false;
        send(PiecedReply.Pace.DEFAULT);
        assertThat(reads).isEmpty();
        fake.writable = true;
        onLoop(call::onWritable);
        assertThat(reads).hasSize(1);
        fake.writable = false;
        read();
        assertThat(fake.parts).hasSize(1);
        assertThat(reads).isEmpty();
    }

    @Test
    void aCallThatEndsInTheMiddleGivesEverythingBack() throws Exception {
        send(PiecedReply.Pace.DEFAULT);
        read();
        compactPast();
        assertThat(compactionIsThrough()).isFalse();
        onLoop(() -> call.onCancel(Status.CANCELLED));
        assertThat(compactionIsThrough()).as("while a piece is being copied").isFalse();
        read();
        assertThat(compactionIsThrough()).isTrue();
        assertThat(reads).isEmpty();
        assertThat(fake.parts).hasSize(1);
        assertThat(fake.buffers).allMatch(buffer -> buffer.refCnt() == 0);
    }

    @Test
    void aCallThatHasEndedBeforeItsAnswerGivesEverythingBack() throws Exception {
        onLoop(() -> call.onCancel(Status.CANCELLED));
        send(PiecedReply.Pace.DEFAULT);
        assertThat(reads).isEmpty();
        compactPast();
        assertThat(compactionIsThrough()).isTrue();
    }

    @Test
    void aClientThatStandsStillIsEndedOnceCompactionWaitsForIt() throws Exception {
        send(STRICT);
        fake.writable = false;
        read();
        onLoop(() -> {}); // nobody waits for the client, so that it may take its time
        assertThat(loop.schedule(() -> fake.ended == null, 100, TimeUnit.MILLISECONDS)
                        .get())
                .isTrue();
        compactPast();
        while (loop.submit(() -> fake.ended == null).get()) {
            Thread.onSpinWait();
        }
        assertThat(fake.ended).isEqualTo(PiecedReply.TOO_SLOW);
        assertThat(compactionIsThrough()).isTrue();
    }

    @Test
    void aClientThatReadsOnIsLeftInPeaceByCompaction() throws Exception {
        send(new PiecedReply.Pace(TimeUnit.MILLISECONDS.toNanos(20), 0));
        read();
        compactPast();
        assertThat(loop.schedule(() -> fake.ended == null, 100, TimeUnit.MILLISECONDS)
                        .get())
                .isTrue();
        while (fake.ended == null) {
            read();
        }
        assertThat(fake.ended).isEqualTo(Status.OK);
        assertThat(RangeResponse.parseFrom(fake.joinedParts()).getKvs(KEYS - 1).getModRevision())
                .isEqualTo(2);
    }

    @Test
    void withoutMemoryOrReadersTheAnswerGoesOnLater() throws Exception {
        fake.hasMemory = false;
        send(PiecedReply.Pace.DEFAULT);
        assertThat(reads).isEmpty();
        readersBusy = true;
        fake.hasMemory = true;
        assertThat(loop.schedule(reads::isEmpty, 100, TimeUnit.MILLISECONDS).get())
                .isTrue();
        readersBusy = false;
        while (loop.submit(reads::isEmpty).get()) {
            Thread.onSpinWait();
        }
        while (fake.ended == null) {
            read();
        }
        assertThat(fake.ended).isEqualTo(Status.OK);
    }

    @Test
    void aReadThatFailsEndsTheCall() throws Exception {
        send(PiecedReply.Pace.DEFAULT);
        read();
        cursor.copy(ByteBuffer.allocate(100)); // what is copied behind the answer's back is missing there
        while (fake.ended == null) {
            read();
        }
        assertThat(fake.status().getCode()).isEqualTo(Status.Code.INTERNAL);
        assertThat(fake.buffers).allMatch(buffer -> buffer.refCnt() == 0);
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import dev.nightjar.api.etcdserverpb.CompactionResponse;
import dev.nightjar.api.etcdserverpb.DeleteRangeResponse;
import dev.nightjar.api.etcdserverpb.PutResponse;
import dev.nightjar.api.etcdserverpb.RangeResponse;
import dev.nightjar.api.etcdserverpb.ResponseHeader;
import dev.nightjar.api.etcdserverpb.ResponseOp;
import dev.nightjar.api.etcdserverpb.TxnResponse;
import dev.nightjar.api.mvccpb.KeyValue;
import dev.nightjar.core.apply.AnswerBudget;
import dev.nightjar.core.apply.Result;
import dev.nightjar.core.mvcc.MvccStore;
import dev.nightjar.core.mvcc.RangeCursor;
import dev.nightjar.core.mvcc.RangeQuery;
import dev.nightjar.core.mvcc.RangeResult;
import dev.nightjar.core.mvcc.WriteTxn;
import dev.nightjar.core.storage.FileSystem;
import dev.nightjar.core.storage.SegmentLog;
import io.grpc.Status;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class KvRepliesTest {
    private static final ResponseHeader HEADER = ResponseHeader.newBuilder()
            .setClusterId(1)
            .setMemberId(2)
            .setRevision(9)
            .setRaftTerm(3)
            .build();

    @TempDir
    Path directory;

    private final FakeCall call = new FakeCall();
    private final KvReplies replies = new KvReplies(new HeaderWriter(1, 2, () -> 3));

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static KeyValue keyValue(String key, int valueBytes) {
        return KeyValue.newBuilder()
                .setKey(ByteString.copyFromUtf8(key))
                .setValue(ByteString.copyFrom(new byte[valueBytes]))
                .build();
    }

    @Test
    void a_put_with_and_without_the_value_before() throws Exception {
        assertThat(FakeCall.only(replies.put(call, new Result.Put(9, null)), PutResponse.parser()))
                .isEqualTo(PutResponse.newBuilder().setHeader(HEADER).build());
        KeyValue before = keyValue("k", 5000);
        assertThat(FakeCall.only(replies.put(call, new Result.Put(9, before.toByteArray())), PutResponse.parser()))
                .isEqualTo(PutResponse.newBuilder()
                        .setHeader(HEADER)
                        .setPrevKv(before)
                        .build());
    }

    @Test
    void a_delete_with_what_it_deleted() throws Exception {
        KeyValue a = keyValue("a", 1);
        KeyValue b = keyValue("b", 5000);
        assertThat(FakeCall.only(
                        replies.deleted(call, new Result.Deleted(9, 2, List.of(a.toByteArray(), b.toByteArray()))),
                        DeleteRangeResponse.parser()))
                .isEqualTo(DeleteRangeResponse.newBuilder()
                        .setHeader(HEADER)
                        .setDeleted(2)
                        .addPrevKvs(a)
                        .addPrevKvs(b)
                        .build());
    }

    @Test
    void a_transaction_gets_its_outer_header() throws Exception {
        TxnResponse inner = TxnResponse.newBuilder()
                .setSucceeded(true)
                .addResponses(ResponseOp.newBuilder()
                        .setResponsePut(PutResponse.newBuilder().setPrevKv(keyValue("k", 3))))
                .build();
        assertThat(FakeCall.only(replies.txn(call, new Result.Txn(9, inner)), TxnResponse.parser()))
                .isEqualTo(inner.toBuilder().setHeader(HEADER).build());
    }

    @Test
    void an_answer_that_is_only_a_header() throws Exception {
        assertThat(FakeCall.only(replies.header(call, 9), CompactionResponse.parser()))
                .isEqualTo(CompactionResponse.newBuilder().setHeader(HEADER).build());
    }

    @Test
    void a_range_in_full_and_with_keys_only() throws Exception {
        try (MvccStore store = MvccStore.open(SegmentLog.open(
                new SegmentLog.Options(FileSystem.real(), directory, SegmentLog.SEGMENT_BYTES, 1, Runnable::run)))) {
            WriteTxn txn = store.begin();
            txn.put(bytes("a"), ByteBuffer.wrap(bytes("1")), 0);
            txn.put(bytes("b"), ByteBuffer.wrap(new byte[5000]), 7);
            txn.put(bytes("c"), ByteBuffer.allocate(0), 0);
            txn.end();
            store.commit(1, 1);
            store.publish();
            RangeQuery query = RangeQuery.range(bytes("a"), new byte[1]).withLimit(2);
            for (boolean keysOnly : List.of(false, true)) {
                RangeResult result = store.range(query);
                RangeResponse.Builder expected = RangeResponse.newBuilder()
                        .setHeader(HEADER)
                        .setMore(true)
                        .setCount(3);
                for (var view : result.kvs()) {
                    KeyValue kv = KeyValue.parseFrom(view.encoded());
                    expected.addKvs(keysOnly ? kv.toBuilder().clearValue().build() : kv);
                }
                var answer = replies.range(call, 9, result, keysOnly);
                assertThat(answer.readableBytes()).isLessThanOrEqualTo((int) KvReplies.maxRangeBytes(result, keysOnly));
                assertThat(FakeCall.only(answer, RangeResponse.parser())).isEqualTo(expected.build());
                RangeQuery same =
                        new RangeQuery(query.key(), query.end(), 0, 2, keysOnly, false, query.filter(), query.sort());
                try (RangeCursor cursor = store.cursor(same, new AnswerBudget(0))) {
                    assertThat(FakeCall.only(replies.range(call, 9, cursor), RangeResponse.parser()))
                            .isEqualTo(expected.build());
                }
            }
            assertThat(FakeCall.only(
                            replies.range(call, 9, store.range(query.withCountOnly()), false), RangeResponse.parser()))
                    .isEqualTo(RangeResponse.newBuilder()
                            .setHeader(HEADER)
                            .setCount(3)
                            .build());
        }
    }

    @Test
    void an_answer_beyond_what_grpc_carries_is_an_error() {
        Status status = KvReplies.tooLarge(KvReplies.MAX_MESSAGE_BYTES + 1);
        assertThat(status.getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
        assertThat(status.getDescription())
                .isEqualTo("grpc: trying to send message larger than max (2147483648 vs. 2147483647)");
    }
}

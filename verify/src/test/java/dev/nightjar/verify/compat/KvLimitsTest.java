/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.compat;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedOutputStream;
import dev.nightjar.api.etcdserverpb.Compare;
import dev.nightjar.api.etcdserverpb.DeleteRangeRequest;
import dev.nightjar.api.etcdserverpb.KVGrpc;
import dev.nightjar.api.etcdserverpb.PutRequest;
import dev.nightjar.api.etcdserverpb.RangeRequest;
import dev.nightjar.api.etcdserverpb.RangeResponse;
import dev.nightjar.api.etcdserverpb.RequestOp;
import dev.nightjar.api.etcdserverpb.TxnRequest;
import dev.nightjar.api.mvccpb.KeyValue;
import dev.nightjar.verify.driver.ApiClient;
import dev.nightjar.verify.driver.FreshServer;
import dev.nightjar.verify.driver.OnEveryServer;
import dev.nightjar.verify.driver.ServerKind;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.MetadataUtils;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The sizes at which requests are refused. */
@OnEveryServer
class KvLimitsTest {
    private static final int MAX_REQUEST_BYTES = 1_572_864;
    private static final int MAX_MESSAGE_BYTES = MAX_REQUEST_BYTES + (512 << 10);
    private static final int MAX_TXN_OPS = 128;

    @RegisterExtension
    final FreshServer fresh;

    KvLimitsTest(ServerKind kind) {
        fresh = new FreshServer(kind);
    }

    @Test
    void a_request_below_the_limit_is_taken_and_one_above_it_is_refused() {
        assertThat(answer(() -> put("k", MAX_REQUEST_BYTES - 1024))).isEqualTo("@2");
        assertThat(answer(() -> put("k", MAX_REQUEST_BYTES)))
                .isEqualTo("INVALID_ARGUMENT etcdserver: request is too large");
        assertThat(answer(() -> put("k", MAX_REQUEST_BYTES + (400 << 10))))
                .isEqualTo("INVALID_ARGUMENT etcdserver: request is too large");
    }

    /** What the log's entry has besides the request depends on the member's id, of which it holds a part as a varint. */
    @Test
    void the_limit_is_the_same_to_the_byte() {
        long member =
                fresh.api().kv().put(putOp("k", 1).getRequestPut()).getHeader().getMemberId();
        int id = CodedOutputStream.computeUInt64SizeNoTag(member << 48 | 1L << 47);
        int envelope = 4 + id + 4;
        int most = MAX_REQUEST_BYTES - envelope;
        assertThat(answer(() -> put("k", valueSize(most)))).isEqualTo("@3");
        assertThat(answer(() -> put("k", valueSize(most) + 1)))
                .isEqualTo("INVALID_ARGUMENT etcdserver: request is too large");
        RequestOp.Builder op = putOp("k", valueSize(most) - 8).toBuilder();
        assertThat(TxnRequest.newBuilder().addSuccess(op).build().getSerializedSize())
                .isEqualTo(most);
        assertThat(answer(() -> txn(TxnRequest.newBuilder().addSuccess(op)))).isEqualTo("@4");
        RequestOp large = putOp("k", valueSize(most) - 7);
        assertThat(answer(() -> txn(TxnRequest.newBuilder().addSuccess(large))))
                .isEqualTo("INVALID_ARGUMENT etcdserver: request is too large");
    }

    /** The value with which a put of key {@code k} comes to so many bytes. */
    private static int valueSize(int putBytes) {
        return putBytes - 3 - 4;
    }

    @Test
    void request_headers_may_be_larger_than_any_token() {
        Metadata large = new Metadata();
        large.put(Metadata.Key.of("x-long", Metadata.ASCII_STRING_MARSHALLER), "x".repeat(60 << 10));
        KVGrpc.KVBlockingStub kv = fresh.api().kv().withInterceptors(MetadataUtils.newAttachHeadersInterceptor(large));
        assertThat(kv.put(putOp("k", 1).getRequestPut()).getHeader().getRevision())
                .isEqualTo(2);
    }

    @Test
    void a_message_above_the_transport_limit_is_refused_and_the_connection_stays_good() {
        assertThat(answer(() -> put("k", MAX_REQUEST_BYTES + (600 << 10))))
                .startsWith(Status.Code.RESOURCE_EXHAUSTED + " ");
        assertThat(answer(() -> put("k", 10))).isEqualTo("@2");
    }

    @Test
    void a_transaction_has_so_many_operations_and_no_more() {
        assertThat(answer(() -> txn(TxnRequest.newBuilder().addAllSuccess(puts(0, MAX_TXN_OPS)))))
                .isEqualTo("@2");
        for (TxnRequest.Builder large : List.of(
                TxnRequest.newBuilder().addAllSuccess(puts(0, MAX_TXN_OPS + 1)),
                TxnRequest.newBuilder().addAllFailure(puts(0, MAX_TXN_OPS + 1)),
                TxnRequest.newBuilder().addAllCompare(compares(MAX_TXN_OPS + 1)))) {
            assertThat(answer(() -> txn(large)))
                    .isEqualTo("INVALID_ARGUMENT etcdserver: too many operations in txn request");
        }
    }

    @Test
    void nested_transactions_share_the_limit() {
        RequestOp fits = nested(MAX_TXN_OPS - 100);
        RequestOp large = nested(MAX_TXN_OPS - 100 + 1);
        assertThat(answer(() ->
                        txn(TxnRequest.newBuilder().addAllSuccess(puts(0, 99)).addSuccess(fits))))
                .isEqualTo("@2");
        assertThat(answer(() ->
                        txn(TxnRequest.newBuilder().addAllSuccess(puts(0, 99)).addSuccess(large))))
                .isEqualTo("INVALID_ARGUMENT etcdserver: too many operations in txn request");
    }

    @Test
    void a_key_has_no_limit_of_its_own() {
        ByteString key = ByteString.copyFrom(new byte[MAX_REQUEST_BYTES / 2 - 1024]);
        ByteString next = key.concat(ApiClient.ZERO);
        assertThat(fresh.api().put(key, ByteString.copyFromUtf8("1"))).isEqualTo(2);
        assertThat(fresh.api().put(next, ByteString.copyFromUtf8("2"))).isEqualTo(3);
        RangeRequest.Builder one = RangeRequest.newBuilder().setKey(key);
        assertThat(fresh.api().kv().range(one.build()).getKvs(0).getValue().toStringUtf8())
                .isEqualTo("1");
        RangeResponse both =
                fresh.api().kv().range(one.setRangeEnd(ApiClient.ZERO).build());
        assertThat(both.getKvsList()).extracting(KeyValue::getKey).containsExactly(key, next);
        DeleteRangeRequest delete = DeleteRangeRequest.newBuilder()
                .setKey(key)
                .setRangeEnd(next)
                .setPrevKv(true)
                .build();
        assertThat(fresh.api().kv().deleteRange(delete).getPrevKvs(0).getKey()).isEqualTo(key);
        assertThat(fresh.api().kv().range(one.build()).getKvsList())
                .extracting(KeyValue::getKey)
                .containsExactly(next);
    }

    /** Up to there a message is read, and refused for what it asks; beyond, for its size alone. */
    @Test
    void the_transport_takes_messages_of_so_many_bytes() {
        assertThat(answer(() -> put("k", valueSize(MAX_MESSAGE_BYTES))))
                .isEqualTo("INVALID_ARGUMENT etcdserver: request is too large");
        assertThat(answer(() -> put("k", valueSize(MAX_MESSAGE_BYTES) + 1)))
                .isEqualTo("RESOURCE_EXHAUSTED grpc: received message larger than max (%d vs. %d)"
                        .formatted(MAX_MESSAGE_BYTES + 1, MAX_MESSAGE_BYTES));
        assertThat(answer(() -> put("k", 10))).isEqualTo("@2");
    }

    private static String answer(Supplier<Long> request) {
        try {
            return "@" + request.get();
        } catch (StatusRuntimeException e) {
            return e.getStatus().getCode() + " " + e.getStatus().getDescription();
        }
    }

    private long put(String key, int valueSize) {
        return fresh.api()
                .kv()
                .put(putOp(key, valueSize).getRequestPut())
                .getHeader()
                .getRevision();
    }

    private long txn(TxnRequest.Builder request) {
        return fresh.api().kv().txn(request.build()).getHeader().getRevision();
    }

    private static RequestOp nested(int count) {
        return RequestOp.newBuilder()
                .setRequestTxn(TxnRequest.newBuilder().addAllSuccess(puts(500, count)))
                .build();
    }

    private static List<RequestOp> puts(int first, int count) {
        List<RequestOp> puts = new ArrayList<>();
        for (int i = first; i < first + count; i++) {
            puts.add(putOp("k" + i, 1));
        }
        return puts;
    }

    private static RequestOp putOp(String key, int valueSize) {
        return RequestOp.newBuilder()
                .setRequestPut(PutRequest.newBuilder()
                        .setKey(ByteString.copyFromUtf8(key))
                        .setValue(ByteString.copyFrom(new byte[valueSize])))
                .build();
    }

    private static List<Compare> compares(int count) {
        List<Compare> compares = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            compares.add(Compare.newBuilder()
                    .setKey(ByteString.copyFromUtf8("k" + i))
                    .build());
        }
        return compares;
    }
}

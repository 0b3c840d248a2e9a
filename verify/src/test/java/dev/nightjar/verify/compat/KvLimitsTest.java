/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.compat;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedOutputStream;
import dev.nightjar.api.etcdserverpb.Compare;
import dev.nightjar.api.etcdserverpb.KVGrpc;
import dev.nightjar.api.etcdserverpb.PutRequest;
import dev.nightjar.api.etcdserverpb.RangeRequest;
import dev.nightjar.api.etcdserverpb.RangeResponse;
import dev.nightjar.api.etcdserverpb.RangeStreamResponse;
import dev.nightjar.api.etcdserverpb.RequestOp;
import dev.nightjar.api.etcdserverpb.TxnRequest;
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

/** The sizes at which requests are refused, and answers that are large. */
@OnEveryServer
class KvLimitsTest {
    private static final int MAX_REQUEST_BYTES = 1_572_864;
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
    void a_long_range_streams_the_same_answer_that_it_gives_at_once() {
        for (int i = 0; i < 30; i++) {
            List<RequestOp> batch = new ArrayList<>();
            for (int j = 0; j < 100; j++) {
                batch.add(putOp("k%04d".formatted(i * 100 + j), 10_000));
            }
            var _ = txn(TxnRequest.newBuilder().addAllSuccess(batch));
        }
        RangeRequest all = RangeRequest.newBuilder()
                .setKey(ApiClient.ZERO)
                .setRangeEnd(ApiClient.ZERO)
                .setRevision(fresh.api().revision())
                .build();
        var stream = fresh.api().kv().rangeStream(all);
        RangeResponse.Builder joined = RangeResponse.newBuilder();
        int chunks = 0;
        while (stream.hasNext()) {
            RangeStreamResponse chunk = stream.next();
            assertThat(chunk.getSerializedSize()).isLessThan(10 << 20);
            joined.mergeFrom(chunk.getRangeResponse());
            chunks++;
            fresh.api().put("k0000", "written meanwhile " + chunks);
        }
        RangeResponse whole = fresh.api().kv().range(all);
        assertThat(chunks).isGreaterThan(2);
        assertThat(joined.clearHeader().build())
                .isEqualTo(whole.toBuilder().clearHeader().build());
        assertThat(whole.getKvsCount()).isEqualTo(3000);
    }

    @Test
    void large_values_after_many_small_ones_do_not_make_large_pieces() {
        for (int i = 0; i < 20; i++) {
            List<RequestOp> batch = new ArrayList<>();
            for (int j = 0; j < 100; j++) {
                batch.add(putOp("a%04d".formatted(i * 100 + j), 10));
            }
            var _ = txn(TxnRequest.newBuilder().addAllSuccess(batch));
        }
        for (int i = 0; i < 20; i++) {
            put("b%04d".formatted(i), 1_000_000);
        }
        var stream = fresh.api()
                .kv()
                .rangeStream(RangeRequest.newBuilder()
                        .setKey(ApiClient.ZERO)
                        .setRangeEnd(ApiClient.ZERO)
                        .build());
        int keys = 0;
        while (stream.hasNext()) {
            RangeStreamResponse chunk = stream.next();
            if (fresh.kind() == ServerKind.NIGHTJAR) {
                assertThat(chunk.getSerializedSize()).isLessThan(4_000_000);
            }
            keys += chunk.getRangeResponse().getKvsCount();
        }
        assertThat(keys).isEqualTo(2020);
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

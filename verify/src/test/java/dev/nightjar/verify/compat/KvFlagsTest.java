/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.compat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.util.concurrent.ListenableFuture;
import com.google.protobuf.ByteString;
import dev.nightjar.api.etcdserverpb.PutRequest;
import dev.nightjar.api.etcdserverpb.RangeRequest;
import dev.nightjar.api.etcdserverpb.RangeResponse;
import dev.nightjar.api.etcdserverpb.RequestOp;
import dev.nightjar.api.etcdserverpb.TxnRequest;
import dev.nightjar.verify.driver.ApiClient;
import dev.nightjar.verify.driver.FreshServer;
import dev.nightjar.verify.driver.OnEveryServer;
import dev.nightjar.verify.driver.ServerKind;
import dev.nightjar.verify.driver.WatchCall;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The limits of requests, set otherwise than they are by default. */
@OnEveryServer
class KvFlagsTest {
    private static final int MAX_REQUEST_BYTES = 10 << 20;
    private static final int MAX_TXN_OPS = 4;
    private static final int MAX_CONCURRENT_STREAMS = 2;

    @RegisterExtension
    final FreshServer fresh;

    KvFlagsTest(ServerKind kind) {
        fresh = new FreshServer(
                kind,
                "--max-request-bytes=" + MAX_REQUEST_BYTES,
                "--max-txn-ops=" + MAX_TXN_OPS,
                "--max-concurrent-streams=" + MAX_CONCURRENT_STREAMS);
    }

    @Test
    void the_limit_of_a_request_counts_more_than_the_value() {
        assertThatThrownBy(() -> put(MAX_REQUEST_BYTES))
                .hasMessage("INVALID_ARGUMENT: etcdserver: request is too large");
        assertThat(put(MAX_REQUEST_BYTES - 1024)).isEqualTo(2);
        assertThat(fresh.api()
                        .kv()
                        .range(RangeRequest.newBuilder().setKey(key("k")).build())
                        .getKvs(0)
                        .getValue()
                        .size())
                .isEqualTo(MAX_REQUEST_BYTES - 1024);
    }

    @Test
    void so_many_operations_and_no_more() {
        assertThat(fresh.api().kv().txn(puts(MAX_TXN_OPS)).getSucceeded()).isTrue();
        assertThatThrownBy(() -> fresh.api().kv().txn(puts(MAX_TXN_OPS + 1)))
                .hasMessage("INVALID_ARGUMENT: etcdserver: too many operations in txn request");
    }

    /** Each level takes its own number of operations from what is left for those below. */
    @Test
    void nested_transactions_have_what_those_around_them_leave() {
        assertThat(fresh.api().kv().txn(nested(3, puts(1))).getSucceeded()).isTrue();
        assertThatThrownBy(() -> fresh.api().kv().txn(nested(4, puts(1))))
                .hasMessage("INVALID_ARGUMENT: etcdserver: too many operations in txn request");
        assertThat(fresh.api()
                        .kv()
                        .txn(nested(4, TxnRequest.getDefaultInstance()))
                        .getSucceeded())
                .isTrue();
        assertThat(fresh.api().kv().txn(nested(1, nested(1, puts(2)))).getSucceeded())
                .isTrue();
        assertThatThrownBy(() -> fresh.api().kv().txn(nested(1, nested(1, puts(3)))))
                .hasMessage("INVALID_ARGUMENT: etcdserver: too many operations in txn request");
    }

    /** The client is told the number, and keeps further calls back; another connection has its own number. */
    @Test
    void one_connection_has_so_many_calls_at_a_time() {
        RangeRequest range = RangeRequest.newBuilder().setKey(key("k")).build();
        try (WatchCall first = WatchCall.open(fresh.api());
                WatchCall second = WatchCall.open(fresh.api());
                ApiClient other = new ApiClient(fresh.server().endpoint())) {
            var _ = first.created(WatchCall.key("k"));
            var _ = second.created(WatchCall.key("k"));
            ListenableFuture<RangeResponse> third = fresh.api().asyncKv().range(range);
            for (int i = 0; i < 100; i++) {
                assertThat(other.revision()).isEqualTo(1);
                assertThat(third.isDone()).isFalse();
            }
        }
    }

    /** A transaction of {@code width} nested ones, of which the last is {@code inner} and the others are empty. */
    private static TxnRequest nested(int width, TxnRequest inner) {
        TxnRequest.Builder txn = TxnRequest.newBuilder();
        for (int i = 1; i < width; i++) {
            txn.addSuccess(RequestOp.newBuilder().setRequestTxn(TxnRequest.getDefaultInstance()));
        }
        return txn.addSuccess(RequestOp.newBuilder().setRequestTxn(inner)).build();
    }

    private static TxnRequest puts(int count) {
        TxnRequest.Builder txn = TxnRequest.newBuilder();
        for (int i = 0; i < count; i++) {
            txn.addSuccess(
                    RequestOp.newBuilder().setRequestPut(PutRequest.newBuilder().setKey(key("k" + i))));
        }
        return txn.build();
    }

    private long put(int valueSize) {
        return fresh.api().put(key("k"), ByteString.copyFrom(new byte[valueSize]));
    }

    private static ByteString key(String key) {
        return ByteString.copyFromUtf8(key);
    }
}

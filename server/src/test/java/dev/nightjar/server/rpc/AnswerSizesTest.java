/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import dev.nightjar.api.etcdserverpb.DeleteRangeRequest;
import dev.nightjar.api.etcdserverpb.PutRequest;
import dev.nightjar.api.etcdserverpb.RangeRequest;
import dev.nightjar.api.etcdserverpb.RequestOp;
import dev.nightjar.api.etcdserverpb.TxnRequest;
import java.util.Collections;
import org.junit.jupiter.api.Test;

final class AnswerSizesTest {
    private static final ByteString KEY = ByteString.copyFromUtf8("k");
    private static final ByteString END = ByteString.copyFromUtf8("l");
    private static final long LARGE = 7;

    private static RequestOp range(ByteString end, long limit) {
        return RequestOp.newBuilder()
                .setRequestRange(
                        RangeRequest.newBuilder().setKey(KEY).setRangeEnd(end).setLimit(limit))
                .build();
    }

    private static DeleteRangeRequest delete(ByteString end, boolean previous) {
        return DeleteRangeRequest.newBuilder()
                .setKey(KEY)
                .setRangeEnd(end)
                .setPrevKv(previous)
                .build();
    }

    private static long bytes(RequestOp op, int count) {
        TxnRequest success = TxnRequest.newBuilder()
                .addAllSuccess(Collections.nCopies(count, op))
                .build();
        TxnRequest failure = TxnRequest.newBuilder()
                .addAllFailure(Collections.nCopies(count, op))
                .build();
        assertThat(AnswerSizes.expectedBytes(failure, LARGE)).isEqualTo(AnswerSizes.expectedBytes(success, LARGE));
        return AnswerSizes.expectedBytes(success, LARGE);
    }

    @Test
    void few_keys_are_small_and_ranges_are_large() {
        int few = (int) AnswerSizes.FEW_KEYS;
        assertThat(bytes(range(ByteString.EMPTY, 0), few)).isZero();
        assertThat(bytes(range(ByteString.EMPTY, 0), few + 1)).isEqualTo(LARGE);
        assertThat(bytes(range(END, 0), 1)).isEqualTo(LARGE);
        assertThat(bytes(range(END, few), 1)).isZero();
        assertThat(bytes(range(END, Long.MAX_VALUE), 2)).isEqualTo(LARGE);
    }

    @Test
    void writes_count_only_if_their_previous_values_are_wanted() {
        PutRequest.Builder put = PutRequest.newBuilder().setKey(KEY);
        assertThat(bytes(RequestOp.newBuilder().setRequestPut(put).build(), 100))
                .isZero();
        put.setPrevKv(true);
        assertThat(bytes(RequestOp.newBuilder().setRequestPut(put).build(), 100))
                .isEqualTo(LARGE);
        RequestOp delete =
                RequestOp.newBuilder().setRequestDeleteRange(delete(END, true)).build();
        assertThat(bytes(delete, 1)).isEqualTo(LARGE);
        assertThat(AnswerSizes.expectedBytes(delete(END, false))).isZero();
        assertThat(AnswerSizes.expectedBytes(delete(ByteString.EMPTY, true))).isZero();
        assertThat(AnswerSizes.expectedBytes(delete(END, true))).isEqualTo(AnswerSizes.WRITE_WITH_RANGE_BYTES);
    }

    @Test
    void nested_transactions_count() {
        TxnRequest inner = TxnRequest.newBuilder().addFailure(range(END, 0)).build();
        assertThat(bytes(RequestOp.newBuilder().setRequestTxn(inner).build(), 1))
                .isEqualTo(LARGE);
    }
}

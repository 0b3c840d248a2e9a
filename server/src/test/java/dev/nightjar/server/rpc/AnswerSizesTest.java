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
    private static final long LARGE = 7_000_000;
    private static final long VALUE = 50_000;

    private static RequestOp range(ByteString end, long limit) {
        return RequestOp.newBuilder()
                .setRequestRange(
                        RangeRequest.newBuilder().setKey(KEY).setRangeEnd(end).setLimit(limit))
                .build();
    }

    private static RequestOp put(boolean previous) {
        return RequestOp.newBuilder()
                .setRequestPut(PutRequest.newBuilder().setKey(KEY).setPrevKv(previous))
                .build();
    }

    private static DeleteRangeRequest delete(ByteString end, boolean previous) {
        return DeleteRangeRequest.newBuilder()
                .setKey(KEY)
                .setRangeEnd(end)
                .setPrevKv(previous)
                .build();
    }

    private static AnswerSizes sizes() {
        return new AnswerSizes(query -> VALUE, LARGE);
    }

    private static long bytes(RequestOp op, int count) {
        TxnRequest success = TxnRequest.newBuilder()
                .addAllSuccess(Collections.nCopies(count, op))
                .build();
        TxnRequest failure = TxnRequest.newBuilder()
                .addAllFailure(Collections.nCopies(count, op))
                .build();
        assertThat(sizes().expectedBytes(failure)).isEqualTo(sizes().expectedBytes(success));
        return sizes().expectedBytes(success);
    }

    @Test
    void a_few_keys_count_with_what_they_hold_and_little_counts_as_nothing() {
        assertThat(bytes(range(ByteString.EMPTY, 0), 1)).isZero();
        assertThat(bytes(range(ByteString.EMPTY, 0), 2)).isEqualTo(2 * VALUE);
        assertThat(bytes(range(END, AnswerSizes.FEW_KEYS), 3)).isEqualTo(3 * VALUE);
    }

    @Test
    void ranges_without_a_small_limit_are_large() {
        assertThat(bytes(range(END, 0), 1)).isEqualTo(LARGE);
        assertThat(bytes(range(END, AnswerSizes.FEW_KEYS + 1), 1)).isEqualTo(LARGE);
        assertThat(bytes(range(END, Long.MAX_VALUE), 2)).isEqualTo(2 * LARGE);
    }

    @Test
    void a_count_is_small() {
        RequestOp count = RequestOp.newBuilder()
                .setRequestRange(
                        RangeRequest.newBuilder().setKey(KEY).setRangeEnd(END).setCountOnly(true))
                .build();
        assertThat(bytes(count, 100)).isZero();
    }

    @Test
    void writes_count_only_if_their_previous_values_are_wanted() {
        assertThat(bytes(put(false), 100)).isZero();
        assertThat(bytes(put(true), 100)).isEqualTo(100 * VALUE);
        RequestOp delete =
                RequestOp.newBuilder().setRequestDeleteRange(delete(END, true)).build();
        assertThat(bytes(delete, 1)).isEqualTo(LARGE);
        assertThat(sizes().expectedBytes(delete(END, false))).isZero();
        assertThat(sizes().expectedBytes(delete(ByteString.EMPTY, true))).isZero();
        assertThat(sizes().expectedBytes(delete(END, true))).isEqualTo(LARGE);
    }

    @Test
    void nested_transactions_count() {
        TxnRequest inner = TxnRequest.newBuilder().addFailure(range(END, 0)).build();
        assertThat(bytes(RequestOp.newBuilder().setRequestTxn(inner).build(), 1))
                .isEqualTo(LARGE);
    }

    @Test
    void what_is_not_looked_up_any_more_is_large() {
        TxnRequest inner = TxnRequest.newBuilder()
                .addAllFailure(Collections.nCopies(AnswerSizes.MAX_LOOKUPS + 1, range(ByteString.EMPTY, 0)))
                .build();
        assertThat(bytes(RequestOp.newBuilder().setRequestTxn(inner).build(), 1))
                .isEqualTo(AnswerSizes.MAX_LOOKUPS * VALUE + LARGE);
    }
}

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
    private static final long LARGE = AnswerSizes.LARGE_BYTES;
    private static final long SORT = 3 * LARGE;
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
        return new AnswerSizes(query -> VALUE, query -> SORT);
    }

    private static long bytes(RequestOp op, int count) {
        TxnRequest success = TxnRequest.newBuilder()
                .addAllSuccess(Collections.nCopies(count, op))
                .build();
        TxnRequest failure = TxnRequest.newBuilder()
                .addAllFailure(Collections.nCopies(count, op))
                .build();
        assertThat(sizes().expected(failure)).isEqualTo(sizes().expected(success));
        AnswerSizes.Expected expected = sizes().expected(success);
        assertThat(expected.memoryBytes()).isEqualTo(expected.answerBytes());
        return expected.answerBytes();
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
        assertThat(bytes(range(END, Long.MAX_VALUE), 2)).isEqualTo(LARGE);
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
        assertThat(bytes(put(true), 100)).isEqualTo(LARGE);
        RequestOp delete =
                RequestOp.newBuilder().setRequestDeleteRange(delete(END, true)).build();
        assertThat(bytes(delete, 1)).isEqualTo(LARGE);
        assertThat(sizes().expected(delete(END, false)).answerBytes()).isZero();
        assertThat(sizes().expected(delete(ByteString.EMPTY, true)).answerBytes())
                .isZero();
        assertThat(sizes().expected(delete(END, true)).answerBytes()).isEqualTo(LARGE);
    }

    @Test
    void nested_transactions_count() {
        TxnRequest inner = TxnRequest.newBuilder().addFailure(range(END, 0)).build();
        assertThat(bytes(RequestOp.newBuilder().setRequestTxn(inner).build(), 1))
                .isEqualTo(LARGE);
    }

    @Test
    void memory_for_sorting_is_that_of_one_range() {
        RequestOp sorted = RequestOp.newBuilder()
                .setRequestRange(RangeRequest.newBuilder()
                        .setKey(KEY)
                        .setRangeEnd(END)
                        .setSortOrder(RangeRequest.SortOrder.DESCEND)
                        .setSortTarget(RangeRequest.SortTarget.MOD))
                .build();
        TxnRequest twice =
                TxnRequest.newBuilder().addSuccess(sorted).addSuccess(sorted).build();
        assertThat(sizes().expected(twice)).isEqualTo(new AnswerSizes.Expected(LARGE, SORT));
    }

    @Test
    void what_is_not_looked_up_any_more_is_large() {
        assertThat(ofEmptyValues(AnswerSizes.MAX_LOOKUPS)).isZero();
        assertThat(ofEmptyValues(AnswerSizes.MAX_LOOKUPS + 1)).isEqualTo(LARGE);
    }

    private static long ofEmptyValues(int reads) {
        TxnRequest inner = TxnRequest.newBuilder()
                .addAllFailure(Collections.nCopies(reads, range(ByteString.EMPTY, 0)))
                .build();
        TxnRequest outer = TxnRequest.newBuilder()
                .addSuccess(RequestOp.newBuilder().setRequestTxn(inner))
                .build();
        return new AnswerSizes(query -> 0, query -> 0).expected(outer).answerBytes();
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.apply;

import static dev.nightjar.core.apply.Requests.b;
import static dev.nightjar.core.apply.Requests.compare;
import static dev.nightjar.core.apply.Requests.deleteOp;
import static dev.nightjar.core.apply.Requests.nested;
import static dev.nightjar.core.apply.Requests.op;
import static dev.nightjar.core.apply.Requests.put;
import static dev.nightjar.core.apply.Requests.putOp;
import static dev.nightjar.core.apply.Requests.range;
import static dev.nightjar.core.apply.Requests.rangeOp;
import static dev.nightjar.core.apply.Requests.txn;
import static org.assertj.core.api.Assertions.assertThat;

import dev.nightjar.api.etcdserverpb.Compare.CompareResult;
import dev.nightjar.api.etcdserverpb.Compare.CompareTarget;
import dev.nightjar.api.etcdserverpb.DeleteRangeRequest;
import dev.nightjar.api.etcdserverpb.RequestOp;
import dev.nightjar.api.etcdserverpb.TxnRequest;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class RequestChecksTest {
    private static final int MAX_OPS = 4;

    private static RequestOp[] puts(int count) {
        return IntStream.range(0, count).mapToObj(i -> putOp("k" + i)).toArray(RequestOp[]::new);
    }

    @Test
    void an_empty_key_is_refused_in_every_request() throws Exception {
        assertThat(RequestChecks.check(range("", "").build())).isEqualTo(ApiError.EMPTY_KEY);
        assertThat(RequestChecks.check(DeleteRangeRequest.getDefaultInstance())).isEqualTo(ApiError.EMPTY_KEY);
        assertThat(PutCommand.parse(put("", "v").build().toByteArray()).check()).isEqualTo(ApiError.EMPTY_KEY);
        assertThat(RequestChecks.check(txn(putOp("")), MAX_OPS)).isEqualTo(ApiError.EMPTY_KEY);
        assertThat(RequestChecks.check(txn(rangeOp("", "")), MAX_OPS)).isEqualTo(ApiError.EMPTY_KEY);
        assertThat(RequestChecks.check(txn(deleteOp("", "")), MAX_OPS)).isEqualTo(ApiError.EMPTY_KEY);
        TxnRequest emptyCompare = TxnRequest.newBuilder()
                .addCompare(compare("", CompareTarget.VERSION, CompareResult.EQUAL))
                .build();
        assertThat(RequestChecks.check(emptyCompare, MAX_OPS)).isEqualTo(ApiError.EMPTY_KEY);
    }

    @Test
    void unknown_sort_numbers_are_refused() {
        assertThat(RequestChecks.check(range("a", "").setSortOrderValue(9).build()))
                .isEqualTo(ApiError.INVALID_SORT_OPTION);
        assertThat(RequestChecks.check(range("a", "").setSortTargetValue(9).build()))
                .isEqualTo(ApiError.INVALID_SORT_OPTION);
    }

    @Test
    void ignoring_what_is_given_is_refused() throws Exception {
        assertThat(PutCommand.parse(put("a", "v").setIgnoreValue(true).build().toByteArray())
                        .check())
                .isEqualTo(ApiError.VALUE_PROVIDED);
        assertThat(PutCommand.parse(put("a", "v")
                                .setIgnoreLease(true)
                                .setLease(7)
                                .build()
                                .toByteArray())
                        .check())
                .isEqualTo(ApiError.LEASE_PROVIDED);
        assertThat(RequestChecks.check(txn(op(put("a", "v").setIgnoreValue(true))), MAX_OPS))
                .isEqualTo(ApiError.VALUE_PROVIDED);
    }

    @Test
    void each_list_of_a_transaction_is_limited() {
        assertThat(RequestChecks.check(txn(puts(MAX_OPS)), MAX_OPS)).isNull();
        assertThat(RequestChecks.check(txn(puts(MAX_OPS + 1)), MAX_OPS)).isEqualTo(ApiError.TOO_MANY_OPS);
        assertThat(RequestChecks.check(txn(List.of(), List.of(puts(MAX_OPS + 1))), MAX_OPS))
                .isEqualTo(ApiError.TOO_MANY_OPS);
        TxnRequest compares = TxnRequest.newBuilder()
                .addAllCompare(Collections.nCopies(
                        MAX_OPS + 1,
                        compare("a", CompareTarget.VERSION, CompareResult.EQUAL).build()))
                .build();
        assertThat(RequestChecks.check(compares, MAX_OPS)).isEqualTo(ApiError.TOO_MANY_OPS);
    }

    @Test
    void nesting_eats_into_the_limit() {
        assertThat(RequestChecks.check(txn(nested(txn(puts(MAX_OPS - 1)))), MAX_OPS))
                .isNull();
        assertThat(RequestChecks.check(txn(nested(txn(puts(MAX_OPS)))), MAX_OPS))
                .isEqualTo(ApiError.TOO_MANY_OPS);
    }

    @Test
    void an_operation_that_asks_for_nothing_is_refused() {
        assertThat(RequestChecks.check(txn(RequestOp.getDefaultInstance()), MAX_OPS))
                .isEqualTo(ApiError.KEY_NOT_FOUND);
    }

    @Test
    void only_ranges_make_a_transaction_read_only() {
        assertThat(RequestChecks.isReadOnly(txn(rangeOp("a", ""), rangeOp("b", ""))))
                .isTrue();
        assertThat(RequestChecks.isReadOnly(txn(rangeOp("a", ""), putOp("b")))).isFalse();
        assertThat(RequestChecks.isReadOnly(txn(nested(txn(rangeOp("a", "")))))).isFalse();
    }

    @Test
    void a_transaction_is_serializable_only_if_each_of_its_reads_is() {
        RequestOp serializable = op(range("a", "").setSerializable(true));
        assertThat(RequestChecks.isSerializable(txn(serializable))).isTrue();
        assertThat(RequestChecks.isSerializable(txn(serializable, rangeOp("b", ""))))
                .isFalse();
        assertThat(RequestChecks.isSerializable(TxnRequest.getDefaultInstance()))
                .isFalse();
    }

    @Test
    void the_dearer_branch_counts_against_the_quota() {
        TxnRequest request = txn(List.of(putOp("a")), List.of(putOp("b"), nested(txn(putOp("c")))));
        assertThat(RequestChecks.cost(request)).isEqualTo(2 * RequestChecks.putCost(1, 1));
        assertThat(RequestChecks.cost(txn(deleteOp("a", ""), rangeOp("a", "")))).isZero();
    }

    @Test
    void a_put_is_decoded_like_the_generated_code_does() throws Exception {
        byte[] request =
                put("key", "value").setLease(-5).setPrevKv(true).build().toByteArray();
        PutCommand command = PutCommand.parse(request);
        assertThat(command.key()).isEqualTo(b("key").toByteArray());
        assertThat(com.google.protobuf.ByteString.copyFrom(command.value())).isEqualTo(b("value"));
        assertThat(command.lease()).isEqualTo(-5);
        assertThat(command.previous()).isTrue();
        assertThat(command.check()).isNull();
    }
}

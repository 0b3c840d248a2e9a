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

import dev.nightjar.api.etcdserverpb.Compare;
import dev.nightjar.api.etcdserverpb.Compare.CompareResult;
import dev.nightjar.api.etcdserverpb.Compare.CompareTarget;
import dev.nightjar.api.etcdserverpb.ResponseHeader;
import dev.nightjar.api.etcdserverpb.TxnRequest;
import dev.nightjar.api.etcdserverpb.TxnResponse;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

final class TxnTest {
    @TempDir
    Path directory;

    private AppliedStore state;

    /** Revision 2: a = 5, revision 3: a = 6, revision 4: b = 7. */
    @BeforeEach
    void open() throws IOException {
        state = new AppliedStore(directory);
        state.apply(CommandType.PUT, put("a", "5").build());
        state.apply(CommandType.PUT, put("a", "6").build());
        state.apply(CommandType.PUT, put("b", "7").build());
    }

    @AfterEach
    void close() throws IOException {
        state.close();
    }

    private Result.Txn run(TxnRequest request) {
        return (Result.Txn) state.apply(CommandType.TXN, request);
    }

    private boolean holds(Compare.Builder compare) {
        TxnRequest request = TxnRequest.newBuilder().addCompare(compare).build();
        boolean applied = run(request).response().getSucceeded();
        boolean read = ((Result.Txn) TxnReader.read(state.store, request, state.answers))
                .response()
                .getSucceeded();
        assertThat(read).isEqualTo(applied);
        return applied;
    }

    private static ResponseHeader header(long revision) {
        return ResponseHeader.newBuilder().setRevision(revision).build();
    }

    @ParameterizedTest
    @CsvSource({
        // stored minus operand, then whether EQUAL, GREATER, LESS, NOT_EQUAL hold
        "0, true, false, false, false",
        "1, false, true, false, true",
        "-1, false, false, true, true"
    })
    void compares_hold_as_the_order_of_stored_and_operand_says(
            long difference, boolean equal, boolean greater, boolean less, boolean notEqual) {
        boolean[] expected = {equal, greater, less, notEqual};
        for (CompareResult result :
                List.of(CompareResult.EQUAL, CompareResult.GREATER, CompareResult.LESS, CompareResult.NOT_EQUAL)) {
            boolean holds = expected[result.getNumber()];
            assertThat(holds(compare("a", CompareTarget.VERSION, result).setVersion(2 - difference)))
                    .isEqualTo(holds);
            assertThat(holds(compare("a", CompareTarget.CREATE, result).setCreateRevision(2 - difference)))
                    .isEqualTo(holds);
            assertThat(holds(compare("a", CompareTarget.MOD, result).setModRevision(3 - difference)))
                    .isEqualTo(holds);
            assertThat(holds(compare("a", CompareTarget.LEASE, result).setLease(-difference)))
                    .isEqualTo(holds);
            assertThat(holds(compare("a", CompareTarget.VALUE, result).setValue(b("" + (6 - difference)))))
                    .isEqualTo(holds);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"EQUAL", "GREATER", "LESS", "NOT_EQUAL"})
    void the_value_of_a_missing_key_compares_false_whatever_is_asked(CompareResult result) {
        assertThat(holds(compare("missing", CompareTarget.VALUE, result))).isFalse();
    }

    @Test
    void the_numbers_of_a_missing_key_are_zero() {
        assertThat(holds(compare("missing", CompareTarget.VERSION, CompareResult.EQUAL)))
                .isTrue();
        assertThat(holds(compare("missing", CompareTarget.CREATE, CompareResult.LESS)
                        .setCreateRevision(1)))
                .isTrue();
        assertThat(holds(compare("missing", CompareTarget.MOD, CompareResult.GREATER)))
                .isFalse();
        assertThat(holds(compare("missing", CompareTarget.LEASE, CompareResult.NOT_EQUAL)))
                .isFalse();
    }

    @Test
    void a_compare_over_a_range_must_hold_for_every_key() {
        assertThat(holds(compare("a", CompareTarget.MOD, CompareResult.GREATER)
                        .setRangeEnd(b("c"))
                        .setModRevision(2)))
                .isTrue();
        assertThat(holds(compare("a", CompareTarget.MOD, CompareResult.GREATER)
                        .setRangeEnd(b("c"))
                        .setModRevision(3)))
                .isFalse();
        assertThat(holds(compare("a", CompareTarget.VERSION, CompareResult.GREATER)
                        .setRangeEnd(b("\0"))))
                .isTrue();
        assertThat(holds(
                        compare("x", CompareTarget.VERSION, CompareResult.EQUAL).setRangeEnd(b("z"))))
                .isTrue();
    }

    @Test
    void inner_headers_follow_the_changes() {
        TxnResponse response = run(txn(deleteOp("missing", ""), putOp("x"), rangeOp("x", ""), deleteOp("a", "")))
                .response();
        assertThat(response.getResponses(0).getResponseDeleteRange().getHeader())
                .isEqualTo(header(4));
        assertThat(response.getResponses(1).getResponsePut().getHeader()).isEqualTo(header(5));
        assertThat(response.getResponses(2).getResponseRange().getHeader()).isEqualTo(header(5));
        assertThat(response.getResponses(2).getResponseRange().getCount()).isEqualTo(1);
        assertThat(response.getResponses(3).getResponseDeleteRange().getHeader())
                .isEqualTo(header(5));
        assertThat(state.store.publishedRevision()).isEqualTo(5);
    }

    @Test
    void a_nested_answer_has_an_empty_header_and_one_revision_serves_the_whole_tree() {
        Result.Txn result = run(txn(putOp("x"), nested(txn(putOp("y"), nested(txn(putOp("z")))))));
        assertThat(result.revision()).isEqualTo(5);
        TxnResponse nested = result.response().getResponses(1).getResponseTxn();
        assertThat(nested.hasHeader()).isTrue();
        assertThat(nested.getHeader()).isEqualTo(ResponseHeader.getDefaultInstance());
        assertThat(state.store.publishedRevision()).isEqualTo(5);
    }

    @Test
    void nested_compares_look_at_the_state_before_the_transaction() {
        TxnRequest nested = TxnRequest.newBuilder()
                .addCompare(compare("x", CompareTarget.VERSION, CompareResult.EQUAL))
                .addSuccess(putOp("was-absent"))
                .addFailure(putOp("was-there"))
                .build();
        TxnResponse response = run(txn(putOp("x"), nested(nested))).response();
        assertThat(response.getResponses(1).getResponseTxn().getSucceeded()).isTrue();
    }

    @Test
    void a_transaction_that_cannot_be_carried_out_whole_changes_nothing() {
        List<TxnRequest> failing = List.of(
                txn(putOp("x"), op(range("a", "").setRevision(99))),
                txn(putOp("x"), op(put("y", "v").setLease(7))),
                txn(putOp("x"), op(put("y", "").setIgnoreValue(true))),
                txn(putOp("x"), nested(txn(op(put("y", "v").setIgnoreLease(true))))));
        List<ApiError> errors = List.of(
                ApiError.FUTURE_REVISION, ApiError.LEASE_NOT_FOUND, ApiError.KEY_NOT_FOUND, ApiError.KEY_NOT_FOUND);
        for (int i = 0; i < failing.size(); i++) {
            assertThat(state.apply(CommandType.TXN, failing.get(i))).isEqualTo(new Result.Failed(errors.get(i)));
        }
        assertThat(state.store.publishedRevision()).isEqualTo(4);
    }

    @Test
    void the_branch_that_is_not_taken_is_not_checked_against_the_state() {
        TxnRequest request = txn(List.of(putOp("x")), List.of(op(range("a", "").setRevision(99))));
        assertThat(run(request).revision()).isEqualTo(5);
    }

    @Test
    void a_range_at_an_old_revision_reads_that_one() {
        TxnResponse response =
                run(txn(putOp("a"), op(range("a", "").setRevision(2)))).response();
        assertThat(response.getResponses(1).getResponseRange().getKvs(0).getValue())
                .isEqualTo(b("5"));
    }

    @Test
    void deletes_and_puts_tell_what_was_before() {
        TxnResponse response = run(txn(op(put("a", "new").setPrevKv(true)))).response();
        assertThat(response.getResponses(0).getResponsePut().getPrevKv().getValue())
                .isEqualTo(b("6"));
    }

    @Test
    void a_read_only_transaction_reads_at_one_revision() {
        Result.Txn result = (Result.Txn) TxnReader.read(
                state.store, txn(rangeOp("a", "\0"), op(range("a", "").setRevision(2))), state.answers);
        assertThat(result.revision()).isEqualTo(4);
        assertThat(result.response().getResponses(0).getResponseRange().getCount())
                .isEqualTo(2);
        assertThat(result.response()
                        .getResponses(1)
                        .getResponseRange()
                        .getKvs(0)
                        .getValue())
                .isEqualTo(b("5"));
        assertThat(TxnReader.read(state.store, txn(op(range("a", "").setRevision(5))), state.answers))
                .isEqualTo(new Result.Failed(ApiError.FUTURE_REVISION));
    }

    @Test
    void keys_only_inside_a_transaction_leaves_the_value_out() {
        TxnResponse response =
                run(txn(op(range("a", "").setKeysOnly(true)), putOp("z"))).response();
        assertThat(response.getResponses(0).getResponseRange().getKvs(0).getValue())
                .isEmpty();
        assertThat(response.getResponses(0).getResponseRange().getKvs(0).getKey())
                .isEqualTo(b("a"));
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.apply;

import static dev.nightjar.core.apply.Requests.deleteOp;
import static dev.nightjar.core.apply.Requests.nested;
import static dev.nightjar.core.apply.Requests.putOp;
import static dev.nightjar.core.apply.Requests.rangeOp;
import static dev.nightjar.core.apply.Requests.txn;
import static org.assertj.core.api.Assertions.assertThat;

import dev.nightjar.api.etcdserverpb.RequestOp;
import dev.nightjar.api.etcdserverpb.TxnRequest;
import java.util.List;
import org.junit.jupiter.api.Test;

final class DuplicateKeysTest {

    private static void refused(TxnRequest request) {
        assertThat(DuplicateKeys.check(request)).isEqualTo(ApiError.DUPLICATE_KEY);
    }

    private static void accepted(TxnRequest request) {
        assertThat(DuplicateKeys.check(request)).isNull();
    }

    private static RequestOp then(RequestOp... ops) {
        return nested(List.of(ops), List.of());
    }

    private static RequestOp orElse(RequestOp... ops) {
        return nested(List.of(), List.of(ops));
    }

    @Test
    void two_puts_of_one_key_clash() {
        refused(txn(putOp("a"), putOp("a")));
        accepted(txn(putOp("a"), putOp("b")));
    }

    @Test
    void a_put_clashes_with_a_delete_that_covers_it_in_both_orders() {
        refused(txn(putOp("a"), deleteOp("a", "")));
        refused(txn(deleteOp("a", ""), putOp("a")));
        refused(txn(putOp("z"), deleteOp("a", "\0")));
        refused(txn(deleteOp("a", "\0"), putOp("z")));
        refused(txn(putOp("b"), deleteOp("a", "c")));
        accepted(txn(putOp("c"), deleteOp("a", "c")));
        accepted(txn(putOp("a"), deleteOp("b", "\0")));
    }

    @Test
    void the_failure_branch_is_looked_at_too() {
        refused(txn(List.of(), List.of(putOp("a"), putOp("a"))));
        accepted(txn(List.of(putOp("a")), List.of(putOp("a"))));
    }

    @Test
    void puts_inside_a_nested_transaction_clash_with_the_level_above() {
        refused(txn(putOp("a"), then(putOp("a"))));
        refused(txn(then(putOp("a")), putOp("a")));
        refused(txn(putOp("a"), orElse(putOp("a"))));
        refused(txn(deleteOp("a", ""), then(putOp("a"))));
        refused(txn(then(putOp("a")), deleteOp("a", "")));
    }

    @Test
    void deletes_inside_a_nested_transaction_clash_with_puts_of_the_level_above() {
        refused(txn(then(deleteOp("a", "c")), putOp("b")));
        refused(txn(putOp("b"), then(deleteOp("a", "c"))));
    }

    @Test
    void siblings_may_not_touch_the_same_key() {
        refused(txn(then(putOp("a")), then(putOp("a"))));
        refused(txn(then(deleteOp("a", "")), then(putOp("a"))));
        refused(txn(then(putOp("a")), then(deleteOp("a", ""))));
    }

    @Test
    void the_branches_of_one_nested_transaction_exclude_each_other() {
        accepted(txn(nested(List.of(putOp("a")), List.of(putOp("a")))));
        accepted(txn(nested(List.of(putOp("a")), List.of(deleteOp("a", "")))));
    }

    @Test
    void deletes_may_overlap_and_reads_never_clash() {
        accepted(txn(deleteOp("a", "c"), deleteOp("b", "d"), deleteOp("a", "c")));
        accepted(txn(putOp("a"), rangeOp("a", ""), rangeOp("a", "\0")));
    }

    @Test
    void a_clash_ten_levels_down_is_found() {
        TxnRequest deep = txn(putOp("k"));
        for (int level = 0; level < 10; level++) {
            deep = txn(nested(deep));
        }
        accepted(deep);
        refused(deep.toBuilder().addSuccess(putOp("k")).build());
    }
}

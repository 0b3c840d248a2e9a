/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.apply;

import static dev.nightjar.core.apply.Requests.b;
import static dev.nightjar.core.apply.Requests.nested;
import static dev.nightjar.core.apply.Requests.put;
import static org.assertj.core.api.Assertions.assertThat;

import dev.nightjar.api.etcdserverpb.DeleteRangeRequest;
import dev.nightjar.api.etcdserverpb.PutRequest;
import dev.nightjar.api.etcdserverpb.RequestOp;
import dev.nightjar.api.etcdserverpb.TxnRequest;
import dev.nightjar.core.mvcc.RangeQuery;
import dev.nightjar.core.mvcc.WriteTxn;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class EntryGrowthTest {
    private static final int VALUE_BYTES = 60;
    private static final Result TOO_LARGE = new Result.Failed(ApiError.REQUEST_TOO_LARGE);

    @TempDir
    Path directory;

    private AppliedStore state;

    /** Revisions 2 to 4: three keys; in one entry two of them may be kept, or two deleted, or one and one. */
    @BeforeEach
    void open() throws IOException {
        state = new AppliedStore(directory, 2 * VALUE_BYTES + 50);
        for (String key : List.of("a", "b", "c")) {
            state.apply(CommandType.PUT, put(key, "v".repeat(VALUE_BYTES)).build());
        }
    }

    @AfterEach
    void close() throws IOException {
        state.close();
    }

    private static DeleteRangeRequest deleteAll() {
        return DeleteRangeRequest.newBuilder()
                .setKey(b("a"))
                .setRangeEnd(b("z"))
                .build();
    }

    private static RequestOp op(DeleteRangeRequest request) {
        return RequestOp.newBuilder().setRequestDeleteRange(request).build();
    }

    private static DeleteRangeRequest delete(String key) {
        return DeleteRangeRequest.newBuilder().setKey(b(key)).build();
    }

    @Test
    void a_delete_of_too_many_keys_is_refused_and_deletes_none() throws IOException {
        assertThat(state.apply(CommandType.DELETE_RANGE, deleteAll())).isEqualTo(TOO_LARGE);
        assertThat(state.store.publishedRevision()).isEqualTo(4);
        assertThat(version("a")).isEqualTo(1);
        assertThat(state.apply(CommandType.DELETE_RANGE, delete("a"))).isEqualTo(new Result.Deleted(5, 1, List.of()));
        assertThat(state.apply(CommandType.DELETE_RANGE, deleteAll())).isEqualTo(new Result.Deleted(6, 2, List.of()));
        state.close();
        state = new AppliedStore(directory);
        assertThat(state.store.keyCount()).isZero();
    }

    @Test
    void deletes_of_one_entry_count_together() {
        assertThat(state.applyTogether(CommandType.DELETE_RANGE, delete("a"), delete("b"), delete("c")))
                .containsExactly(new Result.Deleted(5, 1, List.of()), new Result.Deleted(6, 1, List.of()), TOO_LARGE);
        assertThat(version("c")).isEqualTo(1);
    }

    @Test
    void deletes_of_a_transaction_count_together_and_with_what_it_keeps() {
        assertThat(state.apply(
                        CommandType.TXN,
                        TxnRequest.newBuilder().addSuccess(op(deleteAll())).build()))
                .isEqualTo(TOO_LARGE);
        TxnRequest mixed = keepAll("a").toBuilder()
                .addSuccess(op(delete("b")))
                .addSuccess(nested(
                        TxnRequest.newBuilder().addSuccess(op(delete("c"))).build()))
                .build();
        assertThat(state.apply(CommandType.TXN, mixed)).isEqualTo(TOO_LARGE);
        assertThat(state.store.publishedRevision()).isEqualTo(4);
        assertThat(state.apply(
                        CommandType.TXN,
                        keepAll("a").toBuilder().addSuccess(op(delete("b"))).build()))
                .isInstanceOf(Result.Txn.class);
    }

    @Test
    void what_a_delete_is_charged_covers_what_it_writes() {
        WriteTxn txn = state.store.begin();
        byte[] key = b("a").toByteArray();
        byte[] end = b("z").toByteArray();
        long charged = txn.deleteBytes(key, end, Long.MAX_VALUE);
        long before = state.store.uncommittedBytes();
        assertThat(before).isZero();
        assertThat(txn.delete(key, end).count()).isEqualTo(3);
        assertThat(state.store.uncommittedBytes()).isBetween(charged / 2, charged + 64);
        txn.end();
        state.commit();
    }

    private static PutRequest keep(String key) {
        return keeping(key).build();
    }

    private static PutRequest.Builder keeping(String key) {
        return put(key, "").setIgnoreValue(true);
    }

    private static TxnRequest keepAll(String... keys) {
        TxnRequest.Builder txn = TxnRequest.newBuilder();
        for (String key : keys) {
            txn.addSuccess(Requests.op(keeping(key)));
        }
        return txn.build();
    }

    private long version(String key) {
        return state.store
                .range(RangeQuery.of(b(key).toByteArray()))
                .kvs()
                .getFirst()
                .version();
    }

    @Test
    void puts_of_one_entry_keep_values_up_to_the_limit() {
        assertThat(state.applyTogether(CommandType.PUT, keep("a"), keep("b"), keep("c")))
                .containsExactly(new Result.Put(5, null), new Result.Put(6, null), TOO_LARGE);
        assertThat(version("c")).isEqualTo(1);
        assertThat(state.store.publishedRevision()).isEqualTo(6);
    }

    @Test
    void a_put_that_brings_its_value_is_not_limited() {
        assertThat(state.applyTogether(
                        CommandType.PUT,
                        keep("a"),
                        keep("b"),
                        put("c", "w".repeat(VALUE_BYTES)).build(),
                        put("c", "w".repeat(VALUE_BYTES)).setIgnoreLease(true).build()))
                .doesNotContain(TOO_LARGE);
    }

    @Test
    void each_entry_counts_for_itself() {
        for (int i = 0; i < 10; i++) {
            assertThat(state.applyTogether(CommandType.PUT, keep("a"), keep("b")))
                    .doesNotContain(TOO_LARGE);
        }
        assertThat(version("a")).isEqualTo(11);
    }

    @Test
    void a_transaction_that_keeps_too_much_changes_nothing() {
        assertThat(state.apply(CommandType.TXN, keepAll("a", "b", "c"))).isEqualTo(TOO_LARGE);
        assertThat(state.store.publishedRevision()).isEqualTo(4);
        assertThat(state.apply(CommandType.TXN, keepAll("a", "b"))).isInstanceOf(Result.Txn.class);
        assertThat(state.store.publishedRevision()).isEqualTo(5);
    }

    @Test
    void nested_transactions_count_as_well() {
        TxnRequest request =
                keepAll("a", "b").toBuilder().addSuccess(nested(keepAll("c"))).build();
        assertThat(state.apply(CommandType.TXN, request)).isEqualTo(TOO_LARGE);
        assertThat(state.store.publishedRevision()).isEqualTo(4);
    }

    @Test
    void a_refused_transaction_leaves_room_for_the_next_of_its_entry() {
        List<Result> results =
                state.applyTogether(CommandType.TXN, keepAll("a", "b", "c"), keepAll("a", "b"), keepAll("c"));
        assertThat(results.get(0)).isEqualTo(TOO_LARGE);
        assertThat(results.get(1)).isInstanceOf(Result.Txn.class);
        assertThat(results.get(2)).isEqualTo(TOO_LARGE);
    }

    @Test
    void the_largest_transaction_of_the_default_limits_is_taken() {
        assertThat(EntryGrowth.LIMIT).isGreaterThan(128L * 3 * 512 * 1024);
    }
}

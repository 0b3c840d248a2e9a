/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.apply;

import static dev.nightjar.core.apply.Requests.b;
import static dev.nightjar.core.apply.Requests.nested;
import static dev.nightjar.core.apply.Requests.op;
import static dev.nightjar.core.apply.Requests.put;
import static org.assertj.core.api.Assertions.assertThat;

import dev.nightjar.api.etcdserverpb.PutRequest;
import dev.nightjar.api.etcdserverpb.TxnRequest;
import dev.nightjar.core.mvcc.RangeQuery;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class KeptValuesTest {
    private static final int VALUE_BYTES = 100;
    private static final Result TOO_LARGE = new Result.Failed(ApiError.REQUEST_TOO_LARGE);

    @TempDir
    Path directory;

    private AppliedStore state;

    /** Revisions 2 to 4: three keys of a hundred bytes each; two of them may be kept in one entry. */
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

    private static PutRequest keep(String key) {
        return keeping(key).build();
    }

    private static PutRequest.Builder keeping(String key) {
        return put(key, "").setIgnoreValue(true);
    }

    private static TxnRequest keepAll(String... keys) {
        TxnRequest.Builder txn = TxnRequest.newBuilder();
        for (String key : keys) {
            txn.addSuccess(op(keeping(key)));
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
        assertThat(KeptValues.LIMIT).isGreaterThan(128L * 3 * 512 * 1024);
    }
}

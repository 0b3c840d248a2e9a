/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.apply;

import static dev.nightjar.core.apply.Requests.b;
import static dev.nightjar.core.apply.Requests.put;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.MessageLite;
import dev.nightjar.api.etcdserverpb.PutRequest;
import dev.nightjar.api.etcdserverpb.RangeRequest;
import dev.nightjar.api.etcdserverpb.RequestOp;
import dev.nightjar.api.etcdserverpb.TxnRequest;
import dev.nightjar.api.etcdserverpb.TxnResponse;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class AnswerBudgetTest {
    private static final int VALUE_BYTES = 1000;

    /** Room for one copy of both keys. */
    private static final long LIMIT = 2 * (VALUE_BYTES + AnswerShare.KEY_VALUE_BYTES + 50);

    @TempDir
    Path directory;

    private AppliedStore state;

    /** Revisions 2 and 3: two keys. */
    @BeforeEach
    void open() throws IOException {
        state = new AppliedStore(directory, EntryGrowth.LIMIT, new AnswerBudget(LIMIT));
        for (String key : List.of("a", "b")) {
            state.apply(CommandType.PUT, put(key, "v".repeat(VALUE_BYTES)).build());
        }
    }

    @AfterEach
    void close() throws IOException {
        state.close();
    }

    private static RequestOp all() {
        return RequestOp.newBuilder().setRequestRange(allKeys()).build();
    }

    private static RangeRequest.Builder allKeys() {
        return RangeRequest.newBuilder().setKey(b("a")).setRangeEnd(b("z"));
    }

    private static RequestOp putC() {
        return RequestOp.newBuilder().setRequestPut(put("c", "new")).build();
    }

    private static TxnRequest txn(RequestOp... ops) {
        return TxnRequest.newBuilder().addAllSuccess(List.of(ops)).build();
    }

    @Test
    void what_a_transaction_reads_beyond_the_budget_is_read_later() {
        Result result = state.apply(CommandType.TXN, txn(all(), all(), putC()));
        assertThat(result.heldBytes()).isPositive().isEqualTo(state.answers.heldBytes());
        TxnResponse response = Answers.txn(result);
        assertThat(response.getResponses(1).getResponseRange())
                .isEqualTo(response.getResponses(0).getResponseRange());
        assertThat(response.getResponses(1).getResponseRange().getKvsCount()).isEqualTo(2);
        assertThat(state.store.keyCount()).isEqualTo(3);
    }

    @Test
    void what_answers_hold_is_theirs_until_it_is_given_back() {
        Result first = state.apply(CommandType.TXN, txn(all(), putC()));
        assertThat(first).isInstanceOf(Result.Txn.class);
        assertThat(first.heldBytes()).isPositive().isEqualTo(state.answers.heldBytes());
        PutRequest again = put("a", "x").setPrevKv(true).build();
        Result later = state.apply(CommandType.PUT, again);
        assertThat(later).isInstanceOf(Result.Deferred.class);
        assertThat(later.heldBytes()).isZero();
        state.answers.release(first.heldBytes());
        assertThat(state.apply(CommandType.PUT, again)).isInstanceOf(Result.Put.class);
    }

    @Test
    void answers_of_one_entry_count_together() {
        MessageLite read = txn(all(), putC());
        List<Result> results = state.applyTogether(CommandType.TXN, read, read);
        assertThat(results.getFirst()).isInstanceOf(Result.Txn.class);
        assertThat(results.getLast()).isInstanceOf(Result.Deferred.class);
        assertThat(state.answers.heldBytes()).isEqualTo(results.getFirst().heldBytes());
    }

    @Test
    void keys_without_values_take_little() {
        RequestOp keys = RequestOp.newBuilder()
                .setRequestRange(allKeys().setKeysOnly(true))
                .build();
        assertThat(TxnReader.read(state.store, txn(keys, keys, keys), state.answers))
                .isInstanceOf(Result.Txn.class);
        assertThat(TxnReader.read(state.store, txn(all(), all()), state.answers))
                .isInstanceOf(Result.Deferred.class);
    }

    @Test
    void the_replay_copies_nothing() {
        state.replay(CommandType.TXN, txn(all(), all(), all(), putC()));
        assertThat(state.store.keyCount()).isEqualTo(3);
        assertThat(state.answers.heldBytes()).isZero();
    }

    @Test
    void the_heap_sets_the_limit() {
        assertThat(AnswerBudget.ofHeap(400).take(100)).isTrue();
        assertThat(AnswerBudget.ofHeap(400).take(101)).isFalse();
        assertThat(AnswerBudget.ofHeap(Long.MAX_VALUE).take(1L << 31)).isFalse();
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.apply;

import static dev.nightjar.core.apply.Requests.b;
import static dev.nightjar.core.apply.Requests.put;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.MessageLite;
import dev.nightjar.api.etcdserverpb.DeleteRangeRequest;
import dev.nightjar.api.etcdserverpb.PutRequest;
import dev.nightjar.api.etcdserverpb.RangeRequest;
import dev.nightjar.api.etcdserverpb.RequestOp;
import dev.nightjar.api.etcdserverpb.TxnRequest;
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
    void a_transaction_that_reads_too_much_is_carried_out_without_answer() {
        assertThat(state.apply(CommandType.TXN, txn(all(), all(), putC()))).isEqualTo(new Result.Unanswered(4));
        assertThat(state.store.keyCount()).isEqualTo(3);
        assertThat(state.answers.heldBytes()).isZero();
    }

    @Test
    void what_answers_hold_is_theirs_until_it_is_given_back() {
        Result first = state.apply(CommandType.TXN, txn(all(), putC()));
        assertThat(first).isInstanceOf(Result.Txn.class);
        assertThat(first.heldBytes()).isPositive().isEqualTo(state.answers.heldBytes());
        PutRequest again = put("a", "x").setPrevKv(true).build();
        assertThat(state.apply(CommandType.PUT, again)).isEqualTo(new Result.Unanswered(5));
        state.answers.release(first.heldBytes());
        assertThat(state.apply(CommandType.PUT, again)).isInstanceOf(Result.Put.class);
    }

    @Test
    void answers_of_one_entry_count_together() {
        MessageLite read = txn(all(), putC());
        List<Result> results = state.applyTogether(CommandType.TXN, read, read);
        assertThat(results.getFirst()).isInstanceOf(Result.Txn.class);
        assertThat(results.getLast()).isEqualTo(new Result.Unanswered(5));
    }

    @Test
    void a_delete_with_too_large_previous_values_deletes_without_answer() {
        state.apply(CommandType.PUT, put("c", "v".repeat(VALUE_BYTES)).build());
        DeleteRangeRequest delete = DeleteRangeRequest.newBuilder()
                .setKey(b("a"))
                .setRangeEnd(b("z"))
                .setPrevKv(true)
                .build();
        assertThat(state.apply(CommandType.DELETE_RANGE, delete)).isEqualTo(new Result.Unanswered(5));
        assertThat(state.store.keyCount()).isZero();
        assertThat(state.answers.heldBytes()).isZero();
    }

    @Test
    void a_delete_inside_a_transaction_counts_too() {
        DeleteRangeRequest delete = DeleteRangeRequest.newBuilder()
                .setKey(b("a"))
                .setRangeEnd(b("z"))
                .setPrevKv(true)
                .build();
        RequestOp op = RequestOp.newBuilder().setRequestDeleteRange(delete).build();
        assertThat(state.apply(CommandType.TXN, txn(all(), op))).isEqualTo(new Result.Unanswered(4));
        assertThat(state.store.keyCount()).isZero();
    }

    @Test
    void a_read_only_transaction_that_reads_too_much_is_given_up() {
        assertThat(TxnReader.read(state.store, txn(all(), all()), state.answers))
                .isEqualTo(new Result.Unanswered(3));
        assertThat(state.answers.heldBytes()).isZero();
        assertThat(TxnReader.read(state.store, txn(all()), state.answers)).isInstanceOf(Result.Txn.class);
    }

    @Test
    void keys_without_values_take_little() {
        RequestOp keys = RequestOp.newBuilder()
                .setRequestRange(allKeys().setKeysOnly(true))
                .build();
        assertThat(TxnReader.read(state.store, txn(keys, keys, keys), state.answers))
                .isInstanceOf(Result.Txn.class);
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

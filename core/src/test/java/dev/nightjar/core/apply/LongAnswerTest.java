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
import static dev.nightjar.core.apply.Requests.rangeOp;
import static dev.nightjar.core.apply.Requests.txn;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.nightjar.api.etcdserverpb.CompactionRequest;
import dev.nightjar.api.etcdserverpb.Compare.CompareResult;
import dev.nightjar.api.etcdserverpb.Compare.CompareTarget;
import dev.nightjar.api.etcdserverpb.DeleteRangeRequest;
import dev.nightjar.api.etcdserverpb.DeleteRangeResponse;
import dev.nightjar.api.etcdserverpb.PutResponse;
import dev.nightjar.api.etcdserverpb.RangeRequest.SortOrder;
import dev.nightjar.api.etcdserverpb.RangeRequest.SortTarget;
import dev.nightjar.api.etcdserverpb.RangeResponse;
import dev.nightjar.api.etcdserverpb.RequestOp;
import dev.nightjar.api.etcdserverpb.TxnRequest;
import dev.nightjar.api.etcdserverpb.TxnResponse;
import dev.nightjar.api.mvccpb.KeyValue;
import dev.nightjar.core.mvcc.LongRead;
import dev.nightjar.core.mvcc.RangeCursor;
import dev.nightjar.core.mvcc.RangeQuery;
import dev.nightjar.core.mvcc.ReadView;
import dev.nightjar.core.mvcc.RevisionCompactedException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class LongAnswerTest {
    /** More than a cursor keeps places of. */
    private static final int MANY = RangeCursor.KEPT_PLACES + 500;

    @TempDir
    Path directory;

    private AppliedStore state;

    /** Keys k00000 and so on, in one transaction at revision 2. */
    @BeforeEach
    void open() throws IOException {
        state = new AppliedStore(directory);
        state.apply(CommandType.TXN, putAll("v"));
    }

    @AfterEach
    void close() throws IOException {
        state.close();
    }

    private static String key(int number) {
        return "k%05d".formatted(number);
    }

    private static TxnRequest putAll(String value) {
        return txn(
                IntStream.range(0, MANY)
                        .mapToObj(i -> op(put(key(i), value + i)))
                        .toList(),
                List.of());
    }

    private Result run(TxnRequest request) {
        return state.apply(CommandType.TXN, request);
    }

    private static RangeResponse range(TxnResponse response, int operation) {
        return response.getResponses(operation).getResponseRange();
    }

    private static List<String> keys(List<KeyValue> kvs) {
        return kvs.stream().map(kv -> kv.getKey().toStringUtf8()).toList();
    }

    private static List<String> keysWhere(Predicate<Integer> wanted) {
        return IntStream.range(0, MANY)
                .boxed()
                .filter(wanted)
                .map(LongAnswerTest::key)
                .toList();
    }

    private static DeleteRangeRequest deleteAll() {
        return DeleteRangeRequest.newBuilder()
                .setKey(b("k"))
                .setRangeEnd(b("l"))
                .setPrevKv(true)
                .build();
    }

    /** Puts everything anew and compacts, so that what was before is kept for views alone. */
    private void overwriteAndCompact() {
        run(putAll("new"));
        state.apply(
                CommandType.COMPACTION,
                CompactionRequest.newBuilder()
                        .setRevision(state.store.publishedRevision())
                        .build());
        compact();
    }

    private boolean compact() {
        while (state.store.compactStep(Long.MAX_VALUE)) {
            assertThat(state.store.compactedRevision()).isPositive();
        }
        return state.store.compactionDoneRevision() == state.store.compactedRevision();
    }

    @Test
    void what_a_large_delete_has_deleted_is_read_later() throws IOException {
        Result.Deferred result = (Result.Deferred) state.apply(CommandType.DELETE_RANGE, deleteAll());
        assertThat(result.revision()).isEqualTo(3);
        assertThat(state.store.keyCount()).isZero();
        overwriteAndCompact();
        DeleteRangeResponse response = DeleteRangeResponse.parseFrom(Answers.bytes(result, 1000));
        assertThat(response.getDeleted()).isEqualTo(MANY);
        assertThat(keys(response.getPrevKvsList())).isEqualTo(keysWhere(i -> true));
        assertThat(response.getPrevKvs(7).getValue()).isEqualTo(b("v7"));
        assertThat(response.getPrevKvs(7).getModRevision()).isEqualTo(2);
        assertThat(compact()).isTrue();
    }

    @Test
    void an_answer_that_waits_holds_compaction_and_one_that_is_dropped_does_not() {
        Result result = state.apply(CommandType.DELETE_RANGE, deleteAll());
        overwriteAndCompact();
        assertThat(compact()).isFalse();
        result.drop();
        assertThat(compact()).isTrue();
    }

    @Test
    void an_answer_that_is_measured_and_not_copied_to_its_end_tells_of_the_compaction_that_waits() {
        Result.Deferred result = (Result.Deferred) state.apply(CommandType.DELETE_RANGE, deleteAll());
        try (LongRead read = result.answer().measure(state.answers)) {
            assertThat(read.holdsCompaction()).isFalse();
            overwriteAndCompact();
            assertThat(read.holdsCompaction()).isTrue();
        }
        assertThat(compact()).isTrue();
    }

    @Test
    void a_view_has_another_of_the_same_revisions_when_compaction_has_passed_it() {
        try (ReadView other = otherAfterCompaction()) {
            assertThat(compact()).isFalse();
            assertThat(other.range(RangeQuery.of(b(key(7)).toByteArray()).atRevision(2))
                            .kvs()
                            .getFirst()
                            .modRevision())
                    .isEqualTo(2);
        }
        assertThat(compact()).isTrue();
    }

    private ReadView otherAfterCompaction() {
        try (ReadView view = state.store.view(0)) {
            overwriteAndCompact();
            assertThatThrownBy(() -> view.from(1)).isInstanceOf(RevisionCompactedException.class);
            return view.from(2);
        }
    }

    @Test
    void the_large_value_that_a_put_replaces_is_read_later() throws IOException {
        String large = "x".repeat(AnswerShare.COMMAND_BYTES);
        state.apply(CommandType.PUT, put("large", large).build());
        Result.Deferred result = (Result.Deferred) state.apply(
                CommandType.PUT, put("large", "small").setPrevKv(true).build());
        overwriteAndCompact();
        PutResponse response = PutResponse.parseFrom(Answers.bytes(result, 77));
        assertThat(response.getPrevKv().getValue().toStringUtf8()).isEqualTo(large);
        assertThat(response.getPrevKv().getVersion()).isEqualTo(1);
    }

    @Test
    void ranges_between_writes_see_those_before_them() {
        RequestOp delete = deleteOp(key(100), key(200));
        Result result = run(txn(
                rangeOp("k", "l"),
                op(put(key(5), "five")),
                rangeOp("k", "l"),
                delete,
                rangeOp("k", "l"),
                op(put("ka", "last")),
                rangeOp("k", "l")));
        assertThat(result).isInstanceOf(Result.Deferred.class);
        overwriteAndCompact();
        TxnResponse response = Answers.txn(result);
        assertThat(range(response, 0).getKvs(5).getValue()).isEqualTo(b("v5"));
        assertThat(range(response, 0).getHeader().getRevision()).isEqualTo(2);
        assertThat(keys(range(response, 0).getKvsList())).isEqualTo(keysWhere(i -> true));
        assertThat(range(response, 2).getKvs(5).getValue()).isEqualTo(b("five"));
        assertThat(range(response, 2).getHeader().getRevision()).isEqualTo(3);
        assertThat(keys(range(response, 2).getKvsList())).isEqualTo(keysWhere(i -> true));
        List<String> rest = keysWhere(i -> i < 100 || i >= 200);
        assertThat(keys(range(response, 4).getKvsList())).isEqualTo(rest);
        assertThat(range(response, 4).getCount()).isEqualTo(rest.size());
        List<String> last = new ArrayList<>(rest);
        last.add("ka");
        assertThat(keys(range(response, 6).getKvsList())).isEqualTo(last);
        assertThat(compact()).isTrue();
    }

    @Test
    void overlapping_deletes_tell_each_key_once() {
        RequestOp first = RequestOp.newBuilder()
                .setRequestDeleteRange(deleteAll().toBuilder().setRangeEnd(b(key(300))))
                .build();
        RequestOp second =
                RequestOp.newBuilder().setRequestDeleteRange(deleteAll()).build();
        TxnResponse response = Answers.txn(run(txn(first, rangeOp("k", "l"), second)));
        assertThat(keys(response.getResponses(0).getResponseDeleteRange().getPrevKvsList()))
                .isEqualTo(keysWhere(i -> i < 300));
        assertThat(keys(range(response, 1).getKvsList())).isEqualTo(keysWhere(i -> i >= 300));
        assertThat(keys(response.getResponses(2).getResponseDeleteRange().getPrevKvsList()))
                .isEqualTo(keysWhere(i -> i >= 300));
    }

    @Test
    void nested_answers_and_all_options_come_later_as_well() {
        RequestOp sorted = op(Requests.range("k", "l")
                .setLimit(100)
                .setKeysOnly(true)
                .setSortOrder(SortOrder.DESCEND)
                .setSortTarget(SortTarget.KEY));
        RequestOp filtered = op(Requests.range("k", "l").setMinModRevision(3).setLimit(1));
        TxnRequest inner = txn(
                putOp(key(10)),
                putOp(key(11)),
                sorted,
                filtered,
                op(Requests.range("k", "l").setCountOnly(true)));
        TxnResponse outer = Answers.txn(run(txn(rangeOp("x", ""), nested(inner), rangeOp(key(11), ""))));
        assertThat(range(outer, 0).getCount()).isZero();
        assertThat(range(outer, 2).getCount()).isEqualTo(1);
        TxnResponse response = outer.getResponses(1).getResponseTxn();
        assertThat(outer.getResponses(1).getResponseTxn().hasHeader()).isTrue();
        assertThat(keys(range(response, 2).getKvsList()))
                .isEqualTo(keysWhere(i -> i >= MANY - 100).reversed());
        assertThat(range(response, 2).getKvs(0).getValue()).isEmpty();
        assertThat(range(response, 2).getMore()).isTrue();
        assertThat(keys(range(response, 3).getKvsList())).containsExactly(key(10));
        assertThat(range(response, 3).getMore()).isTrue();
        assertThat(range(response, 3).getCount()).isEqualTo(MANY);
        assertThat(range(response, 4).getCount()).isEqualTo(MANY);
    }

    @Test
    void an_older_revision_is_kept_as_it_was() {
        run(putAll("second"));
        Result written = run(txn(op(Requests.range("k", "l").setRevision(2)), putOp("z"), rangeOp("k", "l")));
        Result read = TxnReader.read(
                state.store, txn(rangeOp("k", "l"), op(Requests.range("k", "l").setRevision(2))), state.answers);
        overwriteAndCompact();
        TxnResponse response = Answers.txn(written);
        assertThat(range(response, 0).getKvs(9).getValue()).isEqualTo(b("v9"));
        assertThat(range(response, 2).getKvs(9).getValue()).isEqualTo(b("second9"));
        TxnResponse onlyRead = Answers.txn(read);
        assertThat(range(onlyRead, 0).getKvs(9).getValue()).isEqualTo(b("second9"));
        assertThat(range(onlyRead, 1).getKvs(9).getValue()).isEqualTo(b("v9"));
        assertThat(compact()).isTrue();
    }

    @Test
    void a_compare_over_many_keys_ends_with_the_first_that_differs() {
        run(txn(op(put(key(3), "other"))));
        TxnRequest request = TxnRequest.newBuilder()
                .addCompare(compare("k", CompareTarget.MOD, CompareResult.EQUAL)
                        .setRangeEnd(b("l"))
                        .setModRevision(2))
                .addFailure(putOp("z"))
                .build();
        assertThat(Answers.txn(run(request)).getSucceeded()).isFalse();
        run(putAll("again"));
        assertThat(Answers.txn(TxnReader.read(
                                state.store,
                                request.toBuilder()
                                        .setCompare(
                                                0,
                                                request.getCompare(0).toBuilder()
                                                        .setModRevision(5))
                                        .clearFailure()
                                        .build(),
                                state.answers))
                        .getSucceeded())
                .isTrue();
    }

    @Test
    void the_replay_leaves_nothing_behind() {
        state.replay(CommandType.TXN, txn(rangeOp("k", "l"), putOp("z")));
        state.replay(CommandType.DELETE_RANGE, deleteAll());
        overwriteAndCompact();
        assertThat(compact()).isTrue();
    }
}

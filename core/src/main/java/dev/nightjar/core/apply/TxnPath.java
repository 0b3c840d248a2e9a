/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.apply;

import com.google.protobuf.ByteString;
import dev.nightjar.api.etcdserverpb.Compare;
import dev.nightjar.api.etcdserverpb.RequestOp;
import dev.nightjar.api.etcdserverpb.TxnRequest;
import dev.nightjar.core.mvcc.KvView;
import java.util.ArrayList;
import java.util.List;

/**
 * Which branches a transaction takes.
 *
 * <p>All compares of the tree, along the branches taken, look at the state before the transaction: a nested transaction
 * does not see what an earlier operation writes. So the whole path is fixed first: a list of outcomes in the order in
 * which the execution will come by.
 */
final class TxnPath {
    private final KvReader before;
    private final List<Boolean> outcomes = new ArrayList<>();
    private int next;

    private TxnPath(KvReader before) {
        this.before = before;
    }

    /** Evaluates the compares against the state before the transaction. */
    static TxnPath evaluate(TxnRequest request, KvReader before) {
        TxnPath path = new TxnPath(before);
        path.walk(request);
        return path;
    }

    /** The outcome of the next transaction in order of execution. */
    boolean takeNext() {
        return outcomes.get(next++);
    }

    /** Starts again at the outermost transaction. */
    void rewind() {
        next = 0;
    }

    private void walk(TxnRequest request) {
        boolean succeeded = request.getCompareList().stream().allMatch(this::holds);
        outcomes.add(succeeded);
        for (RequestOp op : succeeded ? request.getSuccessList() : request.getFailureList()) {
            if (op.hasRequestTxn()) {
                walk(op.getRequestTxn());
            }
        }
    }

    private boolean holds(Compare compare) {
        Outcome outcome = new Outcome();
        before.walk(RangeQueries.all(compare.getKey(), compare.getRangeEnd()), kv -> {
            outcome.isEmpty = false;
            outcome.holds = holds(compare, kv);
            return outcome.holds;
        });
        // A key that is not there has no value to compare; all its numbers are zero.
        return outcome.isEmpty
                ? compare.getTarget() != Compare.CompareTarget.VALUE && holds(compare, 0)
                : outcome.holds;
    }

    /** Of a compare with the keys seen so far. */
    private static final class Outcome {
        private boolean isEmpty = true;
        private boolean holds = true;
    }

    private static boolean holds(Compare compare, KvView kv) {
        return switch (compare.getTarget()) {
            case VERSION -> holds(compare, kv.version());
            case CREATE -> holds(compare, kv.createRevision());
            case MOD -> holds(compare, kv.modRevision());
            case LEASE -> holds(compare, kv.lease());
            case VALUE ->
                result(
                        compare,
                        ByteString.unsignedLexicographicalComparator()
                                .compare(ByteString.copyFrom(kv.value()), compare.getValue()));
            case UNRECOGNIZED -> result(compare, 0);
        };
    }

    private static boolean holds(Compare compare, long stored) {
        long operand = switch (compare.getTarget()) {
            case VERSION -> compare.getVersion();
            case CREATE -> compare.getCreateRevision();
            case MOD -> compare.getModRevision();
            case LEASE -> compare.getLease();
            case VALUE, UNRECOGNIZED -> 0;
        };
        return result(compare, Long.compare(stored, operand));
    }

    private static boolean result(Compare compare, int order) {
        return switch (compare.getResult()) {
            case EQUAL -> order == 0;
            case GREATER -> order > 0;
            case LESS -> order < 0;
            case NOT_EQUAL -> order != 0;
            case UNRECOGNIZED -> true;
        };
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.apply;

import dev.nightjar.api.etcdserverpb.RangeRequest;
import dev.nightjar.api.etcdserverpb.RequestOp;
import dev.nightjar.api.etcdserverpb.ResponseOp;
import dev.nightjar.api.etcdserverpb.TxnRequest;
import dev.nightjar.api.etcdserverpb.TxnResponse;
import dev.nightjar.core.mvcc.MvccStore;
import dev.nightjar.core.mvcc.RangeQuery;
import dev.nightjar.core.mvcc.RangeResult;
import dev.nightjar.core.mvcc.RevisionCompactedException;
import org.jspecify.annotations.Nullable;

/**
 * Transactions that only read. They do not pass through the log: all their parts look at the store at one published
 * revision. Any thread.
 */
public final class TxnReader {
    private TxnReader() {}

    /** Reads; the request must be well formed and read-only. */
    public static Result read(MvccStore store, TxnRequest request, AnswerBudget answers) {
        while (true) {
            long revision = store.publishedRevision();
            try {
                return read(store, request, revision, new AnswerShare(answers));
            } catch (RevisionCompactedException e) {
                if (store.compactedRevision() <= revision) {
                    return new Result.Failed(ApiError.COMPACTED);
                }
                // A compaction overtook this read itself: the next attempt stands at or above it.
            }
        }
    }

    private static Result read(MvccStore store, TxnRequest request, long revision, AnswerShare share) {
        KvReader reader = query -> store.range(query.revision() > 0 ? query : query.atRevision(revision));
        TxnPath path = TxnPath.evaluate(request, reader);
        @Nullable ApiError error = new TxnChecks(reader, revision, store.compactedRevision()).check(request, path);
        if (error != null) {
            return new Result.Failed(error);
        }
        path.rewind();
        boolean succeeded = path.takeNext();
        TxnResponse.Builder response = TxnResponse.newBuilder().setSucceeded(succeeded);
        for (RequestOp op : succeeded ? request.getSuccessList() : request.getFailureList()) {
            RangeRequest range = op.getRequestRange();
            RangeQuery query = RangeQueries.of(range);
            RangeResult result = readOrGiveBack(reader, query, share);
            response.addResponses(
                    ResponseOp.newBuilder().setResponseRange(TxnReplies.range(range, result, revision, share)));
            if (share.isGivenUp()) {
                return new Result.Unanswered(revision);
            }
        }
        return new Result.Txn(revision, response.build(), share.bytes());
    }

    private static RangeResult readOrGiveBack(KvReader reader, RangeQuery query, AnswerShare share) {
        try {
            return reader.range(query);
        } catch (RuntimeException e) { // compaction passed, or the store was closed
            share.giveUp();
            throw e;
        }
    }
}

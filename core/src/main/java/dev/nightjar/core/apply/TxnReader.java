/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.apply;

import dev.nightjar.api.etcdserverpb.RequestOp;
import dev.nightjar.api.etcdserverpb.ResponseOp;
import dev.nightjar.api.etcdserverpb.TxnRequest;
import dev.nightjar.api.etcdserverpb.TxnResponse;
import dev.nightjar.core.mvcc.KvView;
import dev.nightjar.core.mvcc.MvccStore;
import dev.nightjar.core.mvcc.RangeQuery;
import dev.nightjar.core.mvcc.RangeResult;
import dev.nightjar.core.mvcc.ReadView;
import dev.nightjar.core.mvcc.RevisionCompactedException;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Transactions that only read. They do not pass through the log: all their parts look at the store at one published
 * revision. Any thread.
 */
public final class TxnReader {
    private TxnReader() {}

    /** Reads; the request must be well formed and read-only. */
    public static Result read(MvccStore store, TxnRequest request, AnswerBudget answers) {
        try (ReadView view = store.view(0)) {
            return read(store, request, new ViewReader(view), new AnswerShare(answers));
        } catch (RevisionCompactedException e) {
            return new Result.Failed(ApiError.COMPACTED);
        }
    }

    private static Result read(MvccStore store, TxnRequest request, ViewReader reader, AnswerShare share) {
        long revision = reader.view.revision();
        TxnPath path = TxnPath.evaluate(request, reader);
        @Nullable ApiError error = new TxnChecks(reader, revision, store.compactedRevision()).check(request, path);
        if (error != null) {
            return new Result.Failed(error);
        }
        path.rewind();
        boolean succeeded = path.takeNext();
        TxnResponse.Builder response = TxnResponse.newBuilder().setSucceeded(succeeded);
        TxnReplies replies = new TxnReplies(reader, share, revision);
        for (RequestOp op : succeeded ? request.getSuccessList() : request.getFailureList()) {
            replies.nextOperation();
            response.addResponses(
                    ResponseOp.newBuilder().setResponseRange(replies.range(op.getRequestRange(), revision)));
        }
        return replies.result(reader.view::from, revision, response.build());
    }

    /** What is not asked at an older revision is read at the view's. */
    private record ViewReader(ReadView view) implements KvReader {
        @Override
        public RangeResult range(RangeQuery query) {
            return view.range(fixed(query));
        }

        @Override
        public void walk(RangeQuery query, Predicate<KvView> visitor) {
            view.walk(fixed(query), visitor);
        }

        private RangeQuery fixed(RangeQuery query) {
            return query.revision() > 0 ? query : query.atRevision(view.revision());
        }
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.apply;

import com.google.protobuf.ByteString;
import dev.nightjar.api.etcdserverpb.DeleteRangeRequest;
import dev.nightjar.api.etcdserverpb.DeleteRangeResponse;
import dev.nightjar.api.etcdserverpb.PutRequest;
import dev.nightjar.api.etcdserverpb.PutResponse;
import dev.nightjar.api.etcdserverpb.RangeRequest;
import dev.nightjar.api.etcdserverpb.RangeResponse;
import dev.nightjar.api.etcdserverpb.RequestOp;
import dev.nightjar.api.etcdserverpb.ResponseHeader;
import dev.nightjar.api.etcdserverpb.ResponseOp;
import dev.nightjar.api.etcdserverpb.TxnRequest;
import dev.nightjar.api.etcdserverpb.TxnResponse;
import dev.nightjar.core.mvcc.DeleteResult;
import dev.nightjar.core.mvcc.KvView;
import dev.nightjar.core.mvcc.MvccStore;
import dev.nightjar.core.mvcc.RangeQuery;
import dev.nightjar.core.mvcc.RangeResult;
import dev.nightjar.core.mvcc.WriteTxn;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Carries out one transaction of the log: fixes the path, checks all that could fail, then executes. Owned by the apply
 * thread. A transaction whose answer finds no room is carried out all the same, see {@link AnswerBudget}.
 */
final class TxnExecutor {
    private static final byte[] NO_END = {};

    private final WriteTxn txn;
    private final TxnPath path;
    private final OperationCounts counts;
    private final TxnReplies replies;

    private TxnExecutor(WriteTxn txn, TxnPath path, OperationCounts counts, TxnReplies replies) {
        this.txn = txn;
        this.path = path;
        this.counts = counts;
        this.replies = replies;
    }

    static Result execute(
            MvccStore store, TxnRequest request, OperationCounts counts, EntryGrowth growth, AnswerShare share) {
        WriteTxn txn = store.begin();
        KvReader reader = new OwnReader(txn);
        TxnPath path = TxnPath.evaluate(request, reader);
        TxnChecks checks = new TxnChecks(reader, store.currentRevision(), store.currentCompactedRevision());
        ApiError error = checks.check(request, path);
        if (error == null && !growth.take(addedBytes(txn, checks, growth.left()))) {
            error = ApiError.REQUEST_TOO_LARGE;
        }
        if (error != null) {
            txn.end();
            return new Result.Failed(error);
        }
        path.rewind();
        TxnReplies replies = new TxnReplies(reader, share, txn.baseRevision());
        TxnResponse response = new TxnExecutor(txn, path, counts, replies).run(request);
        long revision = txn.revision();
        txn.end();
        return replies.result(store::view, revision, response);
    }

    /** Reads with the transaction's own writes. */
    private record OwnReader(WriteTxn txn) implements KvReader {
        @Override
        public RangeResult range(RangeQuery query) {
            return txn.range(query);
        }

        @Override
        public void walk(RangeQuery query, Predicate<KvView> visitor) {
            txn.walk(query, visitor);
        }
    }

    /** Counts beyond {@code enough} only so far that the sum is above it. */
    private static long addedBytes(WriteTxn txn, TxnChecks checks, long enough) {
        long added = checks.keptBytes();
        for (DeleteRangeRequest delete : checks.deletes()) {
            if (added > enough) {
                break;
            }
            added += txn.deleteBytes(bytes(delete.getKey()), bytes(delete.getRangeEnd()), enough - added);
        }
        return added;
    }

    private TxnResponse run(TxnRequest request) {
        boolean succeeded = path.takeNext();
        TxnResponse.Builder response = TxnResponse.newBuilder().setSucceeded(succeeded);
        List<RequestOp> ops = succeeded ? request.getSuccessList() : request.getFailureList();
        if (ops.size() > 1) {
            counts.txn();
        }
        for (RequestOp op : ops) {
            response.addResponses(run(op));
        }
        return response.build();
    }

    private ResponseOp run(RequestOp op) {
        replies.nextOperation();
        ResponseOp.Builder response = ResponseOp.newBuilder();
        return switch (op.getRequestCase()) {
            case REQUEST_RANGE ->
                response.setResponseRange(range(op.getRequestRange())).build();
            case REQUEST_PUT -> response.setResponsePut(put(op.getRequestPut())).build();
            case REQUEST_DELETE_RANGE ->
                response.setResponseDeleteRange(delete(op.getRequestDeleteRange()))
                        .build();
            case REQUEST_TXN ->
                // The header of a nested answer is there but empty.
                response.setResponseTxn(
                                run(op.getRequestTxn()).toBuilder().setHeader(ResponseHeader.getDefaultInstance()))
                        .build();
            case REQUEST_NOT_SET -> throw new IllegalStateException("an operation without request passed the checks");
        };
    }

    private RangeResponse range(RangeRequest request) {
        counts.range();
        // An older revision too is read through the transaction: the commands before it may not be published yet.
        return replies.range(request, txn.revision());
    }

    private PutResponse put(PutRequest request) {
        byte[] key = request.getKey().toByteArray();
        boolean needsPrevious = request.getPrevKv() || request.getIgnoreValue() || request.getIgnoreLease();
        @Nullable KvView previous = needsPrevious ? txn.get(key) : null;
        // The view may not outlive the next write, so the answer's copy is taken before it.
        PutResponse.Builder response = PutResponse.newBuilder();
        if (request.getPrevKv() && previous != null) {
            replies.previous(response, key, previous);
        }
        ByteBuffer value = request.getIgnoreValue() && previous != null
                ? previous.value()
                : request.getValue().asReadOnlyByteBuffer();
        long lease = request.getIgnoreLease() && previous != null ? previous.lease() : request.getLease();
        txn.put(key, value, lease);
        replies.wrote(key, NO_END);
        counts.put(key.length + (long) value.remaining());
        return response.setHeader(TxnReplies.header(txn.revision())).build();
    }

    private DeleteRangeResponse delete(DeleteRangeRequest request) {
        counts.delete();
        DeleteRangeResponse.Builder response = DeleteRangeResponse.newBuilder();
        RangeQuery query = RangeQueries.all(request.getKey(), request.getRangeEnd());
        DeleteResult deleted = txn.delete(query.key(), query.end());
        if (request.getPrevKv()) {
            replies.previous(response, query, deleted);
        }
        if (deleted.count() > 0) { // else there may be no revision that it made
            replies.wrote(query.key(), query.end());
        }
        return response.setDeleted(deleted.count())
                .setHeader(TxnReplies.header(txn.revision()))
                .build();
    }

    private static byte[] bytes(ByteString string) {
        return string.toByteArray();
    }
}

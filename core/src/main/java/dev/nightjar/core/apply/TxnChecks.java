/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.apply;

import com.google.protobuf.ByteString;
import dev.nightjar.api.etcdserverpb.DeleteRangeRequest;
import dev.nightjar.api.etcdserverpb.PutRequest;
import dev.nightjar.api.etcdserverpb.RangeRequest;
import dev.nightjar.api.etcdserverpb.RequestOp;
import dev.nightjar.api.etcdserverpb.TxnRequest;
import dev.nightjar.core.mvcc.KvView;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a transaction needs of the state before its first operation runs: since nothing is rolled back, whatever could
 * fail is checked along the path first. Looks at the state before the transaction.
 */
final class TxnChecks {
    private final KvReader before;
    private final long currentRevision;
    private final long compactedRevision;
    private final List<DeleteRangeRequest> deletes = new ArrayList<>();
    private long keptBytes;

    TxnChecks(KvReader before, long currentRevision, long compactedRevision) {
        this.before = before;
        this.currentRevision = currentRevision;
        this.compactedRevision = compactedRevision;
    }

    /** Null if all operations on the path can be carried out. */
    @Nullable
    ApiError check(TxnRequest request, TxnPath path) {
        for (RequestOp op : path.takeNext() ? request.getSuccessList() : request.getFailureList()) {
            ApiError error = switch (op.getRequestCase()) {
                case REQUEST_RANGE -> check(op.getRequestRange());
                case REQUEST_PUT -> check(op.getRequestPut());
                case REQUEST_DELETE_RANGE -> {
                    deletes.add(op.getRequestDeleteRange());
                    yield null;
                }
                case REQUEST_NOT_SET -> null;
                case REQUEST_TXN -> check(op.getRequestTxn(), path);
            };
            if (error != null) {
                return error;
            }
        }
        return null;
    }

    /** Bytes of the values that the puts checked so far keep: no operation before them on the path changes those. */
    long keptBytes() {
        return keptBytes;
    }

    /** The deletes seen so far: no operation on the path writes a key that one of them covers. */
    List<DeleteRangeRequest> deletes() {
        return deletes;
    }

    private @Nullable ApiError check(RangeRequest request) {
        long revision = request.getRevision();
        if (revision > currentRevision) {
            return ApiError.FUTURE_REVISION;
        }
        return revision != 0 && revision < compactedRevision ? ApiError.COMPACTED : null;
    }

    private @Nullable ApiError check(PutRequest request) {
        if (request.getLease() != 0) {
            return ApiError.LEASE_NOT_FOUND;
        }
        if (!request.getIgnoreValue() && !request.getIgnoreLease()) {
            return null;
        }
        List<KvView> found = before.range(RangeQueries.all(request.getKey(), ByteString.EMPTY))
                .kvs();
        if (found.isEmpty()) {
            return ApiError.KEY_NOT_FOUND;
        }
        if (request.getIgnoreValue()) {
            keptBytes += found.getFirst().valueLength();
        }
        return null;
    }
}

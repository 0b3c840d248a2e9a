/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.apply;

import com.google.protobuf.ByteString;
import dev.nightjar.api.etcdserverpb.Compare;
import dev.nightjar.api.etcdserverpb.DeleteRangeRequest;
import dev.nightjar.api.etcdserverpb.PutRequest;
import dev.nightjar.api.etcdserverpb.RangeRequest;
import dev.nightjar.api.etcdserverpb.RequestOp;
import dev.nightjar.api.etcdserverpb.TxnRequest;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What can be said of a request without looking at the state. Pure functions; null means well formed. */
public final class RequestChecks {
    private RequestChecks() {}

    /** Checks a RangeRequest. */
    public static @Nullable ApiError check(RangeRequest request) {
        if (request.getKey().isEmpty()) {
            return ApiError.EMPTY_KEY;
        }
        if (request.getSortOrder() == RangeRequest.SortOrder.UNRECOGNIZED
                || request.getSortTarget() == RangeRequest.SortTarget.UNRECOGNIZED) {
            return ApiError.INVALID_SORT_OPTION;
        }
        return null;
    }

    /** Checks a RangeRequest whose answer is to be streamed: that can only be in the order of keys. */
    public static @Nullable ApiError checkStream(RangeRequest request) {
        ApiError error = check(request);
        if (error != null) {
            return error;
        }
        boolean byKey = request.getSortOrder() == RangeRequest.SortOrder.NONE
                || (request.getSortOrder() == RangeRequest.SortOrder.ASCEND
                        && request.getSortTarget() == RangeRequest.SortTarget.KEY);
        if (!byKey) {
            return ApiError.RANGE_STREAM_SORT;
        }
        boolean filtered = request.getMinModRevision() != 0
                || request.getMaxModRevision() != 0
                || request.getMinCreateRevision() != 0
                || request.getMaxCreateRevision() != 0;
        return filtered ? ApiError.RANGE_STREAM_FILTER : null;
    }

    private static @Nullable ApiError check(PutRequest request) {
        if (request.getKey().isEmpty()) {
            return ApiError.EMPTY_KEY;
        }
        if (request.getIgnoreValue() && !request.getValue().isEmpty()) {
            return ApiError.VALUE_PROVIDED;
        }
        if (request.getIgnoreLease() && request.getLease() != 0) {
            return ApiError.LEASE_PROVIDED;
        }
        return null;
    }

    /** Checks a DeleteRangeRequest. */
    public static @Nullable ApiError check(DeleteRangeRequest request) {
        return request.getKey().isEmpty() ? ApiError.EMPTY_KEY : null;
    }

    /** Checks a TxnRequest; {@code maxOps} limits each of its lists. */
    public static @Nullable ApiError check(TxnRequest request, int maxOps) {
        ApiError error = checkShape(request, maxOps);
        return error != null ? error : DuplicateKeys.check(request);
    }

    private static @Nullable ApiError checkShape(TxnRequest request, int maxOps) {
        int ops = Math.max(request.getCompareCount(), Math.max(request.getSuccessCount(), request.getFailureCount()));
        if (ops > maxOps) {
            return ApiError.TOO_MANY_OPS;
        }
        for (Compare compare : request.getCompareList()) {
            if (compare.getKey().isEmpty()) {
                return ApiError.EMPTY_KEY;
            }
        }
        ApiError error = checkOps(request.getSuccessList(), maxOps - ops);
        return error != null ? error : checkOps(request.getFailureList(), maxOps - ops);
    }

    private static @Nullable ApiError checkOps(List<RequestOp> ops, int maxNestedOps) {
        for (RequestOp op : ops) {
            ApiError error = switch (op.getRequestCase()) {
                case REQUEST_RANGE -> check(op.getRequestRange());
                case REQUEST_PUT -> check(op.getRequestPut());
                case REQUEST_DELETE_RANGE -> check(op.getRequestDeleteRange());
                case REQUEST_TXN -> checkShape(op.getRequestTxn(), maxNestedOps);
                case REQUEST_NOT_SET -> ApiError.KEY_NOT_FOUND;
            };
            if (error != null) {
                return error;
            }
        }
        return null;
    }

    /** Whether the transaction only reads and so need not pass through the log. */
    public static boolean isReadOnly(TxnRequest request) {
        return request.getSuccessList().stream().allMatch(RequestOp::hasRequestRange)
                && request.getFailureList().stream().allMatch(RequestOp::hasRequestRange);
    }

    /**
     * Whether every read of a read-only transaction may be answered from local state. One without any read but with
     * compares is not: its outcome is a read as well.
     */
    public static boolean isSerializable(TxnRequest request) {
        return request.getSuccessCount() + request.getFailureCount() > 0
                && request.getSuccessList().stream()
                        .allMatch(op -> op.getRequestRange().getSerializable())
                && request.getFailureList().stream()
                        .allMatch(op -> op.getRequestRange().getSerializable());
    }

    /** Bytes that a put is counted as against the storage quota. */
    public static long putCost(int keyBytes, int valueBytes) {
        return 256L + keyBytes + valueBytes;
    }

    /** Bytes that a transaction is counted as against the storage quota: those of its dearer branch. */
    public static long cost(TxnRequest request) {
        return Math.max(cost(request.getSuccessList()), cost(request.getFailureList()));
    }

    private static long cost(List<RequestOp> ops) {
        long sum = 0;
        for (RequestOp op : ops) {
            if (op.hasRequestPut()) {
                ByteString key = op.getRequestPut().getKey();
                sum += putCost(key.size(), op.getRequestPut().getValue().size());
            } else if (op.hasRequestTxn()) {
                sum += cost(op.getRequestTxn());
            }
        }
        return sum;
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.rpc;

import dev.nightjar.api.etcdserverpb.DeleteRangeRequest;
import dev.nightjar.api.etcdserverpb.RangeRequest;
import dev.nightjar.api.etcdserverpb.RequestOp;
import dev.nightjar.api.etcdserverpb.TxnRequest;
import java.util.List;

/**
 * How large an answer may become, for the room that is set aside before it is made. Only whether it may be large is
 * known from the request: zero means that it is not. Stateless.
 */
final class AnswerSizes {
    /** Set aside for a large read: on a connection that is read, four get room: two for the readers, and the next two. */
    static final long LARGE_READ_BYTES = 16L << 20;

    /** Set aside for a write that reads a range, too: these wait for the log, so that more of them go on together. */
    static final long WRITE_WITH_RANGE_BYTES = 4L << 20;

    /** Keys whose values make no large answer in ordinary use. */
    static final long FEW_KEYS = 8;

    private AnswerSizes() {}

    /** For a deletion. */
    static long expectedBytes(DeleteRangeRequest request) {
        return keys(request) > FEW_KEYS ? WRITE_WITH_RANGE_BYTES : 0;
    }

    /** For a transaction: {@code largeBytes} if one of its branches may read many keys. */
    static long expectedBytes(TxnRequest request, long largeBytes) {
        return keys(request) > FEW_KEYS ? largeBytes : 0;
    }

    private static long keys(TxnRequest request) {
        return Math.max(keys(request.getSuccessList()), keys(request.getFailureList()));
    }

    private static long keys(List<RequestOp> ops) {
        long sum = 0;
        for (RequestOp op : ops) {
            sum += switch (op.getRequestCase()) {
                case REQUEST_RANGE -> keys(op.getRequestRange());
                case REQUEST_PUT -> op.getRequestPut().getPrevKv() ? 1 : 0;
                case REQUEST_DELETE_RANGE -> keys(op.getRequestDeleteRange());
                case REQUEST_TXN -> keys(op.getRequestTxn());
                case REQUEST_NOT_SET -> 0;
            };
        }
        return sum;
    }

    private static long keys(RangeRequest request) {
        if (request.getCountOnly()) {
            return 0;
        }
        if (request.getRangeEnd().isEmpty()) {
            return 1;
        }
        return request.getLimit() > 0 ? Math.min(request.getLimit(), FEW_KEYS + 1) : FEW_KEYS + 1;
    }

    private static long keys(DeleteRangeRequest request) {
        if (!request.getPrevKv()) {
            return 0;
        }
        return request.getRangeEnd().isEmpty() ? 1 : FEW_KEYS + 1;
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.rpc;

import com.google.protobuf.ByteString;
import dev.nightjar.api.etcdserverpb.DeleteRangeRequest;
import dev.nightjar.api.etcdserverpb.RangeRequest;
import dev.nightjar.api.etcdserverpb.RangeRequest.SortOrder;
import dev.nightjar.api.etcdserverpb.RequestOp;
import dev.nightjar.api.etcdserverpb.TxnRequest;
import dev.nightjar.core.apply.RangeQueries;
import dev.nightjar.core.mvcc.RangeQuery;
import java.util.List;
import java.util.function.ToLongFunction;

/**
 * How large the answer to a transaction, a delete or a put will be, for the room that is set aside before it begins. What
 * single keys hold now is looked up; a range of any length counts as large. One request.
 */
final class AnswerSizes {
    /** An answer up to this size needs no room of its own. */
    static final long SMALL_BYTES = 64 << 10;

    /** Set aside for any larger one: what it has under way, in one buffer or in pieces, is no more. */
    static final long LARGE_BYTES = LongReplies.WHOLE_BYTES;

    /** The limit up to which the keys of a range are looked up. */
    static final long FEW_KEYS = 8;

    /** Lookups for one request; at a microsecond each nobody else waits for long. A request with more counts as large. */
    static final int MAX_LOOKUPS = 512;

    /**
     * What an answer needs.
     *
     * @param answerBytes under way to the client; zero for little
     * @param memoryBytes of the process: for the same, or for sorting one range of it
     */
    record Expected(long answerBytes, long memoryBytes) {
        static final Expected LITTLE = new Expected(0, 0);
    }

    private final ToLongFunction<RangeQuery> heldBytes;
    private final ToLongFunction<RangeQuery> sortBytes;
    private int lookups;
    private long mostSortBytes;

    /**
     * @param heldBytes what the keys of a query hold, one key or a few in key order
     * @param sortBytes what it takes to sort the keys of a query
     */
    AnswerSizes(ToLongFunction<RangeQuery> heldBytes, ToLongFunction<RangeQuery> sortBytes) {
        this.heldBytes = heldBytes;
        this.sortBytes = sortBytes;
    }

    Expected expected(TxnRequest request) {
        return expected(bytes(request));
    }

    Expected expected(DeleteRangeRequest request) {
        return expected(bytes(request));
    }

    /** For a put whose previous value is wanted. */
    Expected expected(byte[] key) {
        return expected(held(RangeQuery.of(key)));
    }

    private Expected expected(long bytes) {
        long answer = bytes > SMALL_BYTES ? Math.min(bytes, LARGE_BYTES) : 0;
        long sort = mostSortBytes > SMALL_BYTES ? mostSortBytes : 0;
        return new Expected(answer, Math.max(answer, sort));
    }

    private long bytes(TxnRequest request) {
        return Math.max(bytes(request.getSuccessList()), bytes(request.getFailureList()));
    }

    private long bytes(List<RequestOp> ops) {
        long sum = 0;
        for (RequestOp op : ops) {
            sum += switch (op.getRequestCase()) {
                case REQUEST_RANGE -> bytes(op.getRequestRange());
                case REQUEST_PUT ->
                    op.getRequestPut().getPrevKv() ? held(op.getRequestPut().getKey()) : 0;
                case REQUEST_DELETE_RANGE -> bytes(op.getRequestDeleteRange());
                case REQUEST_TXN -> bytes(op.getRequestTxn());
                case REQUEST_NOT_SET -> 0;
            };
        }
        return sum;
    }

    private long bytes(RangeRequest request) {
        if (request.getCountOnly()) {
            return 0;
        }
        RangeQuery query = RangeQueries.of(request);
        if (request.getSortOrder() != SortOrder.NONE && ++lookups <= MAX_LOOKUPS) {
            // One range is sorted at a time.
            mostSortBytes = Math.max(mostSortBytes, sortBytes.applyAsLong(query));
        }
        boolean few = request.getRangeEnd().isEmpty() || (request.getLimit() > 0 && request.getLimit() <= FEW_KEYS);
        // What a few keys in another order hold is not known from those that come first; it is a guess like any other.
        return few ? held(query) : LARGE_BYTES;
    }

    private long bytes(DeleteRangeRequest request) {
        if (!request.getPrevKv()) {
            return 0;
        }
        return request.getRangeEnd().isEmpty() ? held(request.getKey()) : LARGE_BYTES;
    }

    private long held(ByteString key) {
        return held(RangeQuery.of(key.toByteArray()));
    }

    private long held(RangeQuery query) {
        return ++lookups > MAX_LOOKUPS ? LARGE_BYTES : heldBytes.applyAsLong(query);
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.rpc;

import com.google.protobuf.ByteString;
import dev.nightjar.api.etcdserverpb.DeleteRangeRequest;
import dev.nightjar.api.etcdserverpb.RangeRequest;
import dev.nightjar.api.etcdserverpb.RequestOp;
import dev.nightjar.api.etcdserverpb.TxnRequest;
import dev.nightjar.core.apply.RangeQueries;
import dev.nightjar.core.mvcc.RangeQuery;
import java.util.List;

/**
 * How large the answer to a transaction or a delete will be, for the room that is set aside before it is made. What single
 * keys hold now is looked up; a range of any length counts as large. One request; zero means small.
 */
final class AnswerSizes {
    /** Set aside for a read of a range: on a connection that is read, four get room: two for the readers, and the next two. */
    static final long LARGE_READ_BYTES = 16L << 20;

    /** Set aside for a write that reads a range, too: these wait for the log, so that more of them go on together. */
    static final long WRITE_WITH_RANGE_BYTES = 4L << 20;

    /** An answer up to this size needs no room of its own. */
    static final long SMALL_BYTES = 64 << 10;

    /** The limit up to which the keys of a range are looked up. */
    static final long FEW_KEYS = 8;

    /** Lookups for one request; at a microsecond each nobody else waits for long. A request with more counts as large. */
    static final int MAX_LOOKUPS = 512;

    /** Tells what the keys of a query hold, one key or a few in key order. */
    interface Lookup {
        long bytes(RangeQuery query);
    }

    private final Lookup lookup;
    private final long largeBytes;
    private int lookups;

    /** @param largeBytes for what reads a range */
    AnswerSizes(Lookup lookup, long largeBytes) {
        this.lookup = lookup;
        this.largeBytes = largeBytes;
    }

    long expectedBytes(TxnRequest request) {
        return orSmall(bytes(request));
    }

    long expectedBytes(DeleteRangeRequest request) {
        return orSmall(bytes(request));
    }

    /** For a put whose previous value is wanted. */
    long expectedBytes(byte[] key) {
        return orSmall(held(RangeQuery.of(key)));
    }

    private static long orSmall(long bytes) {
        return bytes > SMALL_BYTES ? bytes : 0;
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
        boolean few = request.getRangeEnd().isEmpty() || (request.getLimit() > 0 && request.getLimit() <= FEW_KEYS);
        // What a few keys in another order hold is not known from those that come first; it is a guess like any other.
        return few ? held(RangeQueries.of(request)) : largeBytes;
    }

    private long bytes(DeleteRangeRequest request) {
        if (!request.getPrevKv()) {
            return 0;
        }
        return request.getRangeEnd().isEmpty() ? held(request.getKey()) : largeBytes;
    }

    private long held(ByteString key) {
        return held(RangeQuery.of(key.toByteArray()));
    }

    private long held(RangeQuery query) {
        return ++lookups > MAX_LOOKUPS ? largeBytes : lookup.bytes(query);
    }
}

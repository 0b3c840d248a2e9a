/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.rpc;

import com.google.protobuf.ByteString;
import dev.nightjar.api.etcdserverpb.DeleteRangeRequest;
import dev.nightjar.api.etcdserverpb.RequestOp;
import dev.nightjar.api.etcdserverpb.TxnRequest;
import dev.nightjar.core.mvcc.MvccStore;
import dev.nightjar.core.mvcc.RangeQuery;
import java.util.List;

/**
 * How many keys one request may delete. Immutable; any thread.
 *
 * <p>A deleted key stays in the history until compaction, in the heap, and all keys of one request come there at once: a
 * heap that is too small for them would end the process, and end it again when the log is replayed. So the request is
 * refused before it gets into the log. The number is that of the keys that exist now, which another request may change
 * before this one's turn: the bound leaves room for it.
 *
 * @param most keys that one request may delete
 */
record DeleteLimit(long most) {
    /** Heap for each key: a quarter of it is what the history keeps, the rest is for everything else. */
    private static final int HEAP_BYTES_PER_KEY = 192;

    /** Taken whatever the heap is: the ring of recent events, and the changes of one batch before they are too many to list. */
    private static final long FIXED_HEAP_BYTES = 64 << 20;

    /** In a heap of which nothing is left besides. */
    private static final int LEAST_HEAP_SHARE = 8;

    static DeleteLimit ofHeap(long maxHeapBytes) {
        long forKeys = Math.max(maxHeapBytes - FIXED_HEAP_BYTES, maxHeapBytes / LEAST_HEAP_SHARE);
        return new DeleteLimit(forKeys / HEAP_BYTES_PER_KEY);
    }

    boolean isExceededBy(DeleteRangeRequest request, MvccStore store) {
        return keys(request, store) > most;
    }

    boolean isExceededBy(TxnRequest request, MvccStore store) {
        return keys(request, store) > most;
    }

    private static long keys(TxnRequest request, MvccStore store) {
        return Math.max(keys(request.getSuccessList(), store), keys(request.getFailureList(), store));
    }

    private static long keys(List<RequestOp> ops, MvccStore store) {
        long sum = 0;
        for (RequestOp op : ops) {
            if (op.hasRequestDeleteRange()) {
                sum += keys(op.getRequestDeleteRange(), store);
            } else if (op.hasRequestTxn()) {
                sum += keys(op.getRequestTxn(), store);
            }
        }
        return sum;
    }

    /** Two descents in the index, unless a delete of very many keys is being published: then this one goes on. */
    private static long keys(DeleteRangeRequest request, MvccStore store) {
        ByteString end = request.getRangeEnd();
        if (end.isEmpty() || !store.countsQuickly()) {
            return 1;
        }
        return store.range(RangeQuery.range(request.getKey().toByteArray(), end.toByteArray())
                        .withCountOnly())
                .count();
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.mvcc;

/** What reads will come to, told before they are made. Any thread. */
public final class ReadEstimate {

    private final MvccStore store;

    public ReadEstimate(MvccStore store) {
        this.store = store;
    }

    /**
     * Bytes of the newest values of one key, or of the first keys of a range up to a small limit; 0 if the query cannot be
     * answered.
     */
    public long heldBytes(RangeQuery query) {
        if (query.isSingleKey()) {
            long stamp = store.lock().readLock();
            try {
                long place = store.index().find(query.key(), store.publishedRevision());
                return place == 0
                        ? 0
                        : RangeWalk.record(store.records().snapshot(), place).bodyLength();
            } finally {
                store.lock().unlockRead(stamp);
            }
        }
        RangeQuery first = query.atRevision(0).withSort(RangeQuery.SortTarget.KEY, RangeQuery.SortOrder.NONE);
        try (RangeCursor some = store.piece(first, Long.MAX_VALUE, false)) {
            return some.bytes();
        }
    }

    /** Memory that {@link MvccStore#cursor} takes of its budget: for an answer in another order than that of keys. */
    public long sortBytes(RangeQuery query) {
        if (query.countOnly() || query.isInKeyOrder() || query.isSingleKey()) {
            return 0;
        }
        long limit = query.limit();
        long keys = limit > 0 && limit < Integer.MAX_VALUE ? 2 * limit : Long.MAX_VALUE;
        if (store.countsQuickly()) {
            keys = Math.min(
                    keys, store.range(query.atRevision(0).withCountOnly()).count());
        }
        return Math.min(keys, Integer.MAX_VALUE) * SortedPlaces.ENTRY_BYTES;
    }
}

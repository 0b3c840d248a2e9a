/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.mvcc;

import dev.nightjar.core.storage.RecordStore;
import dev.nightjar.core.storage.StoredRecord;
import org.jspecify.annotations.Nullable;

/**
 * The records of an answer, in its order. One thread at a time.
 *
 * <p>Either the places are kept, or the index is walked once more at the pinned revision: then memory does not grow with
 * the number of keys.
 */
sealed interface RecordSource {

    /** The next record, null at the end. */
    @Nullable
    StoredRecord next();

    /** Records at places that are kept. */
    final class Kept implements RecordSource {
        private final PlaceTables tables;
        private final long[] places;
        private final int size;
        private int at;

        Kept(PlaceTables tables, long[] places, int size) {
            this.tables = tables;
            this.places = places;
            this.size = size;
        }

        @Override
        public @Nullable StoredRecord next() {
            return at == size ? null : tables.read(places[at++]);
        }
    }

    /** Records that are found by a walk in the order of keys; the revision stays pinned meanwhile. */
    final class Walked implements RecordSource {
        private final MvccStore store;
        private final RangeReader.Source source;
        private final RangeQuery query;
        private final KeyScan scan;
        private long left;
        private int at;
        private RecordStore.@Nullable Places places;

        /** @param keys what the answer has */
        Walked(MvccStore store, RangeReader.Source source, RangeQuery query, RangeWalk first, long keys) {
            this.store = store;
            this.source = source;
            this.query = query;
            this.scan = KeyScan.places(query.key(), first.end(), first.revision(), Long.MAX_VALUE, source.changed());
            this.left = keys;
        }

        @Override
        public @Nullable StoredRecord next() {
            while (left > 0) {
                RecordStore.Places current = places;
                if (current == null || at == scan.size()) {
                    if (scan.isDone()) {
                        throw new IllegalStateException("a pinned range has become shorter by " + left + " keys");
                    }
                    readChunk();
                    continue;
                }
                StoredRecord record = RangeWalk.record(current, scan.place(at++));
                if (query.filter().accepts(record)) {
                    left--;
                    return record;
                }
            }
            places = null; // lets go of the files
            return null;
        }

        private void readChunk() {
            scan.clear();
            at = 0;
            long stamp = store.lock().readLock();
            try {
                places = source.places();
                scan.readChunk(store.index());
            } finally {
                store.lock().unlockRead(stamp);
            }
        }
    }
}

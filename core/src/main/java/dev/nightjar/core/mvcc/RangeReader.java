/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.mvcc;

import dev.nightjar.core.storage.RecordStore;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Answers one range query with objects, for answers that are small: one key is looked up, and of a range what a {@link
 * RangeCursor} finds is taken. Any thread, one instance a query.
 */
final class RangeReader {

    private final MvccStore store;
    private final Source source;
    private final RangeQuery query;

    /** What a query sees of the store: the published state, or a transaction's own. Called under the read lock. */
    interface Source {
        RecordStore.Places places();

        /** The newest revision that the reader may see. */
        long newestRevision();

        /** Number of keys in a range at the newest revision; {@link RangeWalk#UNKNOWN} if only a walk can tell. */
        int countNewest(byte[] from, byte @Nullable [] end);

        /** The log up to the newest revision, null if the newest changes are not in it yet. */
        RecordStore.@Nullable Snapshot log();

        /** Whether what is visible at a revision is kept, though compaction may have passed it. */
        default boolean keeps(long revision) {
            return false;
        }

        /** Keys that are read at the revision after the one that is asked for, null if none are. */
        default @Nullable ChangedKeys changed() {
            return null;
        }
    }

    RangeReader(MvccStore store, Source source, RangeQuery query) {
        this.store = store;
        this.source = source;
        this.query = query;
    }

    RangeResult read() {
        return query.isSingleKey() ? readOne() : readRange();
    }

    private RangeResult readOne() {
        RecordStore.Places places;
        long revision;
        long place;
        long stamp = store.lock().readLock();
        try {
            places = source.places();
            revision = RangeWalk.resolveRevision(store, source, query);
            place = store.index().find(query.key(), revision);
        } finally {
            store.lock().unlockRead(stamp);
        }
        if (place == 0) {
            return new RangeResult(revision, 0, false, List.of());
        }
        if (query.countOnly()) {
            return new RangeResult(revision, 1, false, List.of());
        }
        KvView view = view(places, place);
        return new RangeResult(revision, 1, false, query.filter().accepts(view) ? List.of(view) : List.of());
    }

    /** Shows the keys found, in their order and neither filtered nor cut, until the visitor returns false. */
    void walk(Predicate<KvView> visitor) {
        if (query.isSingleKey()) {
            for (KvView kv : readOne().kvs()) {
                var _ = visitor.test(kv);
            }
            return;
        }
        new RangeWalk(store, source, query).withoutCount().run(Long.MAX_VALUE, (scan, places) -> {
            for (int i = 0; i < scan.size(); i++) {
                if (!visitor.test(view(places, scan.place(i)))) {
                    return false;
                }
            }
            return true;
        });
    }

    private RangeResult readRange() {
        try (RangeCursor cursor = new RangeCursor(store, source, query).measure(MemoryBudget.UNLIMITED)) {
            return new RangeResult(cursor.revision(), cursor.count(), cursor.more(), cursor.views());
        }
    }

    static KvView view(RecordStore.Places places, long place) {
        return new KvView(RangeWalk.record(places, place));
    }
}

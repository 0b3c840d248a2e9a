/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.mvcc;

import dev.nightjar.core.mvcc.RangeQuery.SortOrder;
import dev.nightjar.core.storage.RecordStore;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Answers one range query with objects, for answers that are small. Any thread, one instance a query.
 *
 * <p>Order of the steps: all keys of the range at the revision, count, filter, sort, cut. {@link RangeWalk} finds the keys;
 * without filter and sort it ends at the limit.
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
        List<KvView> kvs = new ArrayList<>();
        boolean cutsEarly = query.isInKeyOrder() && !query.isFiltered() && query.limit() > 0;
        long collect = query.countOnly() ? 0 : cutsEarly ? query.limit() : Long.MAX_VALUE;
        RangeWalk walk = new RangeWalk(store, source, query);
        walk.run(collect, (scan, places) -> {
            for (int i = 0; i < scan.size(); i++) {
                kvs.add(view(places, scan.place(i)));
            }
            return true;
        });
        if (query.countOnly()) {
            return new RangeResult(walk.revision(), walk.count(), false, List.of());
        }
        if (cutsEarly) {
            return new RangeResult(walk.revision(), walk.count(), walk.count() > kvs.size(), kvs);
        }
        return filterSortCut(walk, kvs);
    }

    static KvView view(RecordStore.Places places, long place) {
        return new KvView(RangeWalk.record(places, place));
    }

    private RangeResult filterSortCut(RangeWalk walk, List<KvView> found) {
        if (query.isFiltered()) {
            found.removeIf(view -> !query.filter().accepts(view));
        }
        if (!query.isInKeyOrder()) {
            sort(found);
        }
        boolean more = query.limit() > 0 && found.size() > query.limit();
        List<KvView> cut = more ? found.subList(0, (int) query.limit()) : found;
        return new RangeResult(walk.revision(), walk.count(), more, cut);
    }

    private void sort(List<KvView> found) {
        boolean descending = query.sort().order() == SortOrder.DESCEND;
        Comparator<KvView> order = switch (query.sort().target()) {
            case KEY -> null;
            case VERSION -> Comparator.comparingLong(KvView::version);
            case CREATE -> Comparator.comparingLong(KvView::createRevision);
            case MOD -> Comparator.comparingLong(KvView::modRevision);
            case VALUE -> KvView::compareValue;
        };
        if (order == null) {
            Collections.reverse(found);
        } else {
            found.sort(descending ? order.reversed() : order);
        }
    }
}

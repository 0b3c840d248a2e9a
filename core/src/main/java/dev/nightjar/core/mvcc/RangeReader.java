/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.mvcc;

import dev.nightjar.core.mvcc.RangeQuery.RevisionFilter;
import dev.nightjar.core.mvcc.RangeQuery.SortOrder;
import dev.nightjar.core.mvcc.RangeQuery.SortTarget;
import dev.nightjar.core.storage.RecordStore;
import dev.nightjar.core.storage.RecordType;
import dev.nightjar.core.storage.StoredRecord;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Answers one range query. Any thread, one instance a query.
 *
 * <p>Order of the steps: all keys of the range at the revision, count, filter, sort, cut. Where nothing needs the whole
 * range it is not read: the count at the newest revision comes from the tree's counters, that at an older one from it
 * and the changes since, and without filter and sort the walk ends at the limit.
 *
 * <p>The index is looked at under its read lock, a chunk at a time; records are located and copied outside of it. A read
 * of more than one chunk pins its revision, so that compaction cannot take away what it has not seen yet.
 */
final class RangeReader {

    private static final byte[] TO_THE_END = {0};

    private final MvccStore store;
    private final Source source;
    private final RangeQuery query;
    private final List<KvView> kvs = new ArrayList<>();
    private long revision;
    private long count = UNKNOWN;

    private static final long UNKNOWN = -1;
    /** Looking at a change in the log costs about as much as looking at so many keys in the index. */
    private static final int CHANGES_PER_KEY = 2;

    private RecordStore.@Nullable Snapshot log;
    private long loggedRevision;
    private long loggedCount;

    /** What a query sees of the store: the published state, or a transaction's own. Called under the read lock. */
    interface Source {
        RecordStore.Places places();

        /** The newest revision that the reader may see. */
        long newestRevision();

        /** Number of keys in a range at the newest revision. */
        int countNewest(byte[] from, byte @Nullable [] end);

        /** The log up to the newest revision, null if the newest changes are not in it yet. */
        RecordStore.@Nullable Snapshot log();
    }

    RangeReader(MvccStore store, Source source, RangeQuery query) {
        this.store = store;
        this.source = source;
        this.query = query;
    }

    /** The first key that is not wanted, null if all from the first on are. */
    static byte @Nullable [] end(byte[] end) {
        return end.length == 1 && end[0] == TO_THE_END[0] ? null : end;
    }

    RangeResult read() {
        return query.isSingleKey() ? readOne() : readRange();
    }

    private void resolveRevision() {
        long newest = source.newestRevision();
        long compacted = store.compactedRevision();
        revision = query.revision() <= 0 ? newest : query.revision();
        if (revision > newest) {
            throw new FutureRevisionException();
        }
        if (revision < compacted) {
            throw new RevisionCompactedException(compacted);
        }
    }

    private RangeResult readOne() {
        RecordStore.Places places;
        long place;
        long stamp = store.lock().readLock();
        try {
            places = source.places();
            resolveRevision();
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

    private RangeResult readRange() {
        byte[] end = end(query.end());
        boolean inKeyOrder =
                query.sort().target() == SortTarget.KEY && query.sort().order() != SortOrder.DESCEND;
        boolean cutsEarly = inKeyOrder && query.filter().equals(RevisionFilter.NONE) && query.limit() > 0;
        long collect = query.countOnly() ? 0 : cutsEarly ? query.limit() : Long.MAX_VALUE;
        KeyScan scan = null;
        boolean pinned = false;
        try {
            do {
                RecordStore.Places places;
                long stamp = store.lock().readLock();
                try {
                    places = source.places();
                    if (scan == null) {
                        resolveRevision();
                        countCheaply(end);
                        scan = new KeyScan(query.key(), end, revision, collect, false);
                    }
                    if (!isEnough(scan)) {
                        scan.readChunk(store.index());
                    }
                    if (!pinned && !isEnough(scan)) {
                        store.pins().pin(revision);
                        pinned = true;
                    }
                } finally {
                    store.lock().unlockRead(stamp);
                }
                locate(scan, places);
                correctCount(end);
            } while (!isEnough(scan));
        } finally {
            if (pinned) {
                store.pins().unpin(revision);
            }
        }
        if (count == UNKNOWN) {
            count = scan.count();
        }
        if (query.countOnly()) {
            return new RangeResult(revision, count, false, List.of());
        }
        if (cutsEarly) {
            return new RangeResult(revision, count, count > kvs.size(), kvs);
        }
        return filterSortCut(inKeyOrder);
    }

    /** Takes the count from the tree where that can be done; what it has to be corrected by comes later. */
    private void countCheaply(byte @Nullable [] end) {
        long newest = source.newestRevision();
        int countNewest = source.countNewest(query.key(), end);
        if (revision == newest) {
            count = countNewest;
        } else if (newest - revision < countNewest / CHANGES_PER_KEY) {
            log = source.log();
            loggedRevision = newest;
            loggedCount = countNewest;
        }
    }

    /** Gets the count at an older revision: the newest one without the keys that have come or gone since. */
    private void correctCount(byte @Nullable [] end) {
        RecordStore.Snapshot changes = log;
        if (changes == null) {
            return;
        }
        log = null;
        long[] delta = {0};
        long[] left = {loggedCount / CHANGES_PER_KEY};
        long reached = changes.scan(revision + 1, loggedRevision, change -> {
            boolean created = change.previousRevision() == 0;
            boolean deleted = change.type() == RecordType.TOMBSTONE;
            if ((created || deleted) && isInRange(change, end)) {
                delta[0] += deleted ? -1 : 1;
            }
            return left[0]-- > 0;
        });
        if (reached > loggedRevision) {
            count = loggedCount - delta[0];
        }
    }

    private boolean isInRange(StoredRecord change, byte @Nullable [] end) {
        int length = change.keyLength();
        return KeyBytes.compare(change.memory(), change.keyOffset(), length, query.key(), 0) >= 0
                && (end == null || KeyBytes.compare(change.memory(), change.keyOffset(), length, end, 0) < 0);
    }

    /** Whether the walk can end: everything seen, or everything collected and the count known. */
    private boolean isEnough(KeyScan scan) {
        return scan.isDone() || (count != UNKNOWN && scan.isFull());
    }

    private void locate(KeyScan scan, RecordStore.Places places) {
        for (int i = 0; i < scan.size(); i++) {
            kvs.add(view(places, scan.place(i)));
        }
        scan.clear();
    }

    static KvView view(RecordStore.Places places, long place) {
        StoredRecord record = places.read(place);
        if (record == null) {
            throw new IllegalStateException("the index names a place that is gone: " + Long.toHexString(place));
        }
        return new KvView(record);
    }

    private RangeResult filterSortCut(boolean inKeyOrder) {
        List<KvView> found = kvs;
        if (!query.filter().equals(RevisionFilter.NONE)) {
            found = new ArrayList<>(found);
            found.removeIf(view -> !query.filter().accepts(view));
        }
        if (!inKeyOrder) {
            sort(found);
        }
        boolean more = query.limit() > 0 && found.size() > query.limit();
        return new RangeResult(revision, count, more, more ? found.subList(0, (int) query.limit()) : found);
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

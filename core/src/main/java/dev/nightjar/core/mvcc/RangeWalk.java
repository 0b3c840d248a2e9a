/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.mvcc;

import dev.nightjar.core.storage.RecordStore;
import dev.nightjar.core.storage.RecordType;
import dev.nightjar.core.storage.StoredRecord;
import org.jspecify.annotations.Nullable;

/**
 * One walk over a range of the index: chooses the revision, counts, and shows where the records are. Any thread, one
 * instance a query.
 *
 * <p>Where nothing needs the whole range it is not walked: the count at the newest revision comes from the tree's
 * counters, that at an older one from it and the changes since, and the walk ends when enough has been collected.
 *
 * <p>The index is looked at under its read lock, a chunk at a time; records are located outside of it. A walk of more
 * than one chunk pins its revision, so that compaction cannot take away what it has not seen yet.
 */
final class RangeWalk {

    static final int UNKNOWN = -1;

    /** Looking at a change in the log costs about as much as looking at so many keys in the index. */
    private static final int CHANGES_PER_KEY = 2;

    private static final byte[] TO_THE_END = {0};

    private final MvccStore store;
    private final RangeReader.Source source;
    private final RangeQuery query;
    private final byte @Nullable [] end;
    private long revision;
    private long count = UNKNOWN;
    private boolean counts = true;
    private long most = Long.MAX_VALUE;
    private boolean gaveUp;
    private boolean keepsPin;
    private boolean pinned;

    private RecordStore.@Nullable Snapshot log;
    private long loggedRevision;
    private long loggedCount;

    /** Takes what a chunk has collected; not under the lock. */
    interface Sink {
        /** Whether to go on. */
        boolean take(KeyScan scan, RecordStore.Places places);
    }

    RangeWalk(MvccStore store, RangeReader.Source source, RangeQuery query) {
        this.store = store;
        this.source = source;
        this.query = query;
        this.end = query.isSingleKey() ? KeyBytes.successor(query.key()) : end(query.end());
    }

    /** The first key that is not wanted, null if all from the first on are. */
    static byte @Nullable [] end(byte[] end) {
        return end.length == 1 && end[0] == TO_THE_END[0] ? null : end;
    }

    /** The count is not wanted. */
    RangeWalk withoutCount() {
        counts = false;
        return this;
    }

    /** The walk gives up before the first key if it would have to look at more than so many, or cannot tell. */
    RangeWalk lookingAtMost(long keys) {
        most = keys;
        return this;
    }

    boolean gaveUp() {
        return gaveUp;
    }

    /** The revision stays pinned after the walk, until {@link #unpin}. */
    RangeWalk keepingPin() {
        keepsPin = true;
        return this;
    }

    long revision() {
        return revision;
    }

    /** Number of keys in the range; {@link #UNKNOWN} if it is not wanted, or not known yet. */
    long count() {
        return count;
    }

    byte @Nullable [] end() {
        return end;
    }

    /**
     * Walks.
     *
     * @param collect most places to show; counting goes on
     */
    void run(long collect, Sink sink) {
        boolean whole = false;
        try {
            KeyScan scan = walk(collect, sink);
            if (counts && count == UNKNOWN) {
                count = scan.count();
            }
            whole = true;
        } finally {
            if (!whole || !keepsPin) {
                unpin();
            }
        }
    }

    private KeyScan walk(long collect, Sink sink) {
        KeyScan scan = null;
        boolean goOn;
        do {
            RecordStore.Places places;
            long stamp = store.lock().readLock();
            try {
                places = source.places();
                if (scan == null) {
                    revision = resolveRevision(store, source, query);
                    if (counts) {
                        countCheaply();
                    }
                    scan = KeyScan.places(query.key(), end, revision, collect, source.changed());
                    gaveUp = (count == UNKNOWN ? Long.MAX_VALUE : Math.min(count, collect)) > most;
                    if (gaveUp) {
                        return scan;
                    }
                }
                if (!isEnough(scan)) {
                    scan.readChunk(store.index());
                }
                if (!pinned && (keepsPin || !isEnough(scan))) {
                    store.pins().pin(revision);
                    pinned = true;
                }
            } finally {
                store.lock().unlockRead(stamp);
            }
            goOn = scan.size() == 0 || sink.take(scan, places);
            scan.clear();
            correctCount();
        } while (goOn && !isEnough(scan));
        return scan;
    }

    /** Lets compaction pass. */
    void unpin() {
        if (pinned) {
            pinned = false;
            store.pins().unpin(revision);
        }
    }

    /** The revision that a query reads; under the read lock. */
    static long resolveRevision(MvccStore store, RangeReader.Source source, RangeQuery query) {
        long newest = source.newestRevision();
        long compacted = store.compactedRevision();
        long revision = query.revision() <= 0 ? newest : query.revision();
        if (revision > newest) {
            throw new FutureRevisionException();
        }
        if (revision < compacted && !source.keeps(revision)) {
            throw new RevisionCompactedException(compacted);
        }
        return revision;
    }

    /** Takes the count from the tree where that can be done; what it has to be corrected by comes later. */
    private void countCheaply() {
        long newest = source.newestRevision();
        int countNewest = source.countNewest(query.key(), end);
        if (countNewest == UNKNOWN) {
            return;
        }
        if (revision == newest) {
            count = countNewest;
        } else if (newest - revision < countNewest / CHANGES_PER_KEY) {
            log = source.log();
            loggedRevision = newest;
            loggedCount = countNewest;
        }
    }

    /** Gets the count at an older revision: the newest one without the keys that have come or gone since. */
    private void correctCount() {
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
            if ((created || deleted) && isInRange(change)) {
                delta[0] += deleted ? -1 : 1;
            }
            return left[0]-- > 0;
        });
        if (reached > loggedRevision) {
            count = loggedCount - delta[0];
        }
    }

    private boolean isInRange(StoredRecord change) {
        int length = change.keyLength();
        byte[] last = end;
        return KeyBytes.compare(change.memory(), change.keyOffset(), length, query.key(), 0) >= 0
                && (last == null || KeyBytes.compare(change.memory(), change.keyOffset(), length, last, 0) < 0);
    }

    /** Whether the walk can end: everything seen, or everything collected and no count missing. */
    private boolean isEnough(KeyScan scan) {
        boolean countMissing = counts && count == UNKNOWN;
        return scan.isDone() || (scan.isFull() && !countMissing);
    }

    /** The record at a place that the index has named. */
    static StoredRecord record(RecordStore.Places places, long place) {
        StoredRecord record = places.read(place);
        if (record == null) {
            throw new IllegalStateException("the index names a place that is gone: " + Long.toHexString(place));
        }
        return record;
    }
}

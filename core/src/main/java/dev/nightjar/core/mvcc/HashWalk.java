/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.mvcc;

import dev.nightjar.core.storage.RecordStore;
import dev.nightjar.core.storage.RecordType;
import dev.nightjar.core.storage.StoredRecord;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One walk over the history that digests it as etcd does, in steps. One thread; takes the index's read lock for at most
 * {@link #LOOKUPS} keys at a time.
 *
 * <p>Counted is, in order of revision: of the changes up to a bound, puts that are still their key's newest change at
 * the revision where the index is looked at; of later ones all. So it makes no difference what of the superseded history
 * is still there.
 */
final class HashWalk {

    /** Bytes that one step reads at least, some milliseconds of work; a large value may come on top. */
    static final long STEP_BYTES = 1 << 20;

    /** Keys that are looked up under one lock hold: some tens of microseconds. */
    static final int LOOKUPS = 32;

    private final MvccStore store;
    private final RecordStore.Cursor changes;
    private final long bound;
    private final long keptAt;
    private final RecordDigest digest = new RecordDigest();
    private final List<StoredRecord> asked = new ArrayList<>(LOOKUPS);
    private final boolean[] kept = new boolean[LOOKUPS];
    private @Nullable StoredRecord next;
    private long seenBytes;

    /**
     * @param changes the history from its beginning
     * @param bound changes at or below count only if they are kept
     * @param keptAt at which revision; the index must have it for the length of the walk
     */
    HashWalk(MvccStore store, RecordStore.Cursor changes, long bound, long keptAt) {
        this.store = store;
        this.changes = changes;
        this.bound = bound;
        this.keptAt = keptAt;
        this.next = changes.next();
    }

    /** The digest of what has been seen. */
    int value() {
        return digest.value();
    }

    /** Goes on by a step and tells whether there is more. */
    boolean step() {
        long end = seenBytes + STEP_BYTES;
        while (next != null && seenBytes < end) {
            if (next.revision() <= bound) {
                addKept();
            } else {
                digest.add(next);
                advance();
            }
        }
        return next != null;
    }

    private void advance() {
        StoredRecord seen = next;
        if (seen != null) {
            seenBytes += seen.totalBytes();
        }
        next = changes.next();
    }

    /** Adds what is kept of the next changes up to the bound. */
    private void addKept() {
        for (StoredRecord change = next;
                change != null && change.revision() <= bound && asked.size() < LOOKUPS;
                change = next) {
            if (change.type() == RecordType.PUT) {
                asked.add(change);
            }
            advance();
        }
        lookUp();
        for (int i = 0; i < asked.size(); i++) {
            if (kept[i]) {
                digest.add(asked.get(i));
            }
        }
        asked.clear();
    }

    private void lookUp() {
        List<byte[]> keys = asked.stream().map(StoredRecord::key).toList();
        long stamp = store.lock().readLock();
        try {
            for (int i = 0; i < keys.size(); i++) {
                long newest = store.index().changeAt(keys.get(i), keptAt);
                kept[i] = !ChangeWord.isTombstone(newest)
                        && ChangeWord.revision(newest) == asked.get(i).revision();
            }
        } finally {
            store.lock().unlockRead(stamp);
        }
    }
}

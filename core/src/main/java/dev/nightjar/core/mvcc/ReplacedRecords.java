/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.mvcc;

import dev.nightjar.core.storage.RecordStore;
import dev.nightjar.core.storage.StoredRecord;
import java.util.concurrent.locks.StampedLock;
import org.jspecify.annotations.Nullable;

/**
 * Finds the records that changes have replaced. A change names the place that its key's record had then; if that file is
 * gone, the record has moved, and the index knows where, unless compaction has forgotten it. Any thread.
 */
final class ReplacedRecords {

    private final RecordStore records;
    private final KeyIndex index;
    private final StampedLock lock;

    ReplacedRecords(RecordStore records, KeyIndex index, StampedLock lock) {
        this.records = records;
        this.index = index;
        this.lock = lock;
    }

    /** See {@link ChangeSource#previous}. */
    byte @Nullable [] previous(Change change) {
        byte[] cached = change.cachedPrevious();
        if (cached != null || change.previousPlace() == 0) {
            return cached;
        }
        StoredRecord record = find(change.key(), change.revision() - 1, change.previousPlace());
        return record == null ? null : record.body();
    }

    /** See {@link ChangeSource#previousLength}. */
    int previousLength(Change change) {
        if (change.previousPlace() == 0) {
            return -1;
        }
        StoredRecord record = find(change.key(), change.revision() - 1, change.previousPlace());
        return record == null ? -1 : record.bodyLength();
    }

    /**
     * The record that a key has at a revision, null if there is none.
     *
     * @param hint where it was last known to be
     */
    @Nullable
    StoredRecord find(byte[] key, long revision, long hint) {
        StoredRecord record = records.snapshot().read(hint);
        if (record != null) {
            return record;
        }
        long stamp = lock.readLock();
        try {
            long place = index.find(key, revision);
            return place == 0 ? null : records.snapshot().read(place);
        } finally {
            lock.unlockRead(stamp);
        }
    }
}

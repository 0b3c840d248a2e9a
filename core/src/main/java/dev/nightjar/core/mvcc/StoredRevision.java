/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.mvcc;

import dev.nightjar.core.storage.RecordStore;
import dev.nightjar.core.storage.StoredRecord;
import org.jspecify.annotations.Nullable;

/** Reads one revision from the records of one snapshot, and what it replaced as far as that has not moved before. */
final class StoredRevision implements RevisionChanges {
    private final RecordStore.Snapshot snapshot;
    private final ReplacedRecords replaced;
    private final long revision;
    private RecordStore.Cursor cursor;

    StoredRevision(RecordStore.Snapshot snapshot, ReplacedRecords replaced, long revision) {
        this.snapshot = snapshot;
        this.replaced = replaced;
        this.revision = revision;
        cursor = snapshot.cursor(revision, revision);
    }

    @Override
    public @Nullable Change next() {
        StoredRecord record = cursor.next();
        return record == null ? null : MvccStore.change(record);
    }

    @Override
    public void restart() {
        cursor = snapshot.cursor(revision, revision);
    }

    @Override
    public int previousLength(Change change) {
        StoredRecord record = before(change);
        return record == null ? -1 : record.bodyLength();
    }

    @Override
    public byte @Nullable [] previous(Change change) {
        StoredRecord record = before(change);
        return record == null ? null : record.body();
    }

    private @Nullable StoredRecord before(Change change) {
        if (change.previousPlace() == 0) {
            return null;
        }
        StoredRecord record = snapshot.read(change.previousPlace());
        return record != null ? record : replaced.find(change.key(), revision - 1, change.previousPlace());
    }
}

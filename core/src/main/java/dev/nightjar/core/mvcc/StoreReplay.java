/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.mvcc;

import dev.nightjar.core.storage.RecordStore;
import dev.nightjar.core.storage.StoredRecord;

/**
 * Enters records of the log into index and rows at the start. One thread.
 *
 * <p>An index that comes from an image may have some of the changes already, and newer ones of the same keys.
 */
final class StoreReplay implements RecordStore.Replay {

    private final KeyIndex index;
    private final Rows rows;

    StoreReplay(KeyIndex index, Rows rows) {
        this.index = index;
        this.rows = rows;
    }

    @Override
    public void record(long place, StoredRecord record) {
        switch (record.type()) {
            case PUT -> put(place, record);
            case TOMBSTONE -> index.delete(record.key(), record.revision(), place);
            case ROW -> rows.put(record.rowType(), record.key(), record.content());
            case ROW_REMOVED -> rows.remove(record.rowType(), record.key());
            case ROWS_RESET -> rows.clear();
        }
    }

    private void put(long place, StoredRecord record) {
        KvView view = new KvView(record);
        long word = ChangeWord.put(record.revision(), view.lease() != 0);
        index.restore(view.key(), word, place, view.createRevision(), view.version());
    }

    @Override
    public boolean moved(long place, StoredRecord change) {
        return index.note(change.key(), change.revision(), place);
    }
}

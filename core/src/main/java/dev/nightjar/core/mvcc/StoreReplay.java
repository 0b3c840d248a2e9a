/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.mvcc;

import dev.nightjar.core.mvcc.KeyIndex.Known;
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
    private final boolean onImage;

    StoreReplay(KeyIndex index, Rows rows, boolean onImage) {
        this.index = index;
        this.rows = rows;
        this.onImage = onImage;
    }

    @Override
    public void record(long place, StoredRecord record) {
        switch (record.type()) {
            case PUT, TOMBSTONE -> change(place, record);
            case ROW -> rows.put(record.rowType(), record.key(), record.content());
            case ROW_REMOVED -> rows.remove(record.rowType(), record.key());
            case ROWS_RESET -> rows.clear();
        }
    }

    private void change(long place, StoredRecord record) {
        byte[] key = record.key();
        if (onImage) {
            Known known = index.note(key, record.revision(), place);
            if (known == Known.OLDER || known == Known.FORGOTTEN) {
                return;
            }
        }
        switch (record.type()) {
            case PUT -> {
                KvView view = new KvView(record);
                long word = ChangeWord.put(record.revision(), view.lease() != 0);
                index.restore(key, word, place, view.createRevision(), view.version());
            }
            case TOMBSTONE -> index.delete(key, record.revision(), place);
            case ROW, ROW_REMOVED, ROWS_RESET -> throw new IllegalArgumentException("not a change");
        }
    }

    @Override
    public boolean moved(long place, StoredRecord change) {
        Known known = index.note(change.key(), change.revision(), place);
        return known == Known.NEWEST || known == Known.OLDER;
    }
}

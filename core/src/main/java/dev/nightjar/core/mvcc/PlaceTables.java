/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.mvcc;

import dev.nightjar.core.storage.RecordStore;
import dev.nightjar.core.storage.StoredRecord;
import java.util.ArrayList;
import java.util.List;

/**
 * Finds records by the places that chunks of one walk have named. Files may be packed between two chunks, so that no one
 * table knows all places; but no place is ever used twice, so whichever table knows it is right. One thread at a time.
 */
final class PlaceTables {

    /** The newest is asked first; they are as many as files were added or packed during the walk, so mostly one. */
    private final List<RecordStore.Places> tables = new ArrayList<>(1);

    @SuppressWarnings("ReferenceEquality") // an unchanged table is the same object
    void add(RecordStore.Places places) {
        if (tables.isEmpty() || tables.getFirst() != places) {
            tables.addFirst(places);
        }
    }

    StoredRecord read(long place) {
        for (RecordStore.Places table : tables) {
            StoredRecord record = table.read(place);
            if (record != null) {
                return record;
            }
        }
        throw new IllegalStateException("the index has named a place that is gone: " + Long.toHexString(place));
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.mvcc;

import dev.nightjar.core.storage.RecordStore;
import org.jspecify.annotations.Nullable;

/** The state that readers see: the index as it was at the published revision. Any thread. */
final class PublishedSource implements RangeReader.Source {

    private final MvccStore store;
    private final RecordStore records;

    PublishedSource(MvccStore store, RecordStore records) {
        this.store = store;
        this.records = records;
    }

    @Override
    public RecordStore.Places places() {
        return records.snapshot();
    }

    @Override
    public long newestRevision() {
        return store.publishedRevision();
    }

    @Override
    public int countNewest(byte[] from, byte @Nullable [] end) {
        UnpublishedCounts unpublished = store.unpublished();
        return unpublished.isLost() ? RangeWalk.UNKNOWN : store.index().count(from, end) - unpublished.sum(from, end);
    }

    @Override
    public RecordStore.Snapshot log() {
        return records.snapshot();
    }
}

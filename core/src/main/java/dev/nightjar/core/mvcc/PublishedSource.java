/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.mvcc;

import dev.nightjar.core.storage.RecordStore;
import java.util.concurrent.locks.StampedLock;
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
    public StampedLock lock() {
        return store.lock();
    }

    @Override
    public KeyIndex index() {
        return store.index();
    }

    @Override
    public ReadPins pins() {
        return store.pins();
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
    public long compactedRevision() {
        return store.compactedRevision();
    }

    @Override
    public int countNewest(byte[] from, byte @Nullable [] end) {
        return store.index().count(from, end) - store.unpublished().sum(from, end);
    }

    @Override
    public RecordStore.Snapshot log() {
        return records.snapshot();
    }
}

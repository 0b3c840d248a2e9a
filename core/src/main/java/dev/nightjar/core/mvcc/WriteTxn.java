/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.mvcc;

import dev.nightjar.core.storage.Frame;
import dev.nightjar.core.storage.RecordFields;
import dev.nightjar.core.storage.RecordStore;
import java.nio.ByteBuffer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * One write transaction: all its changes share one main revision, sub revisions count 0, 1, 2 …. Apply thread only; one
 * at a time, closed by {@link #end}. There is no rollback: whoever writes has made all checks before.
 */
public final class WriteTxn {

    private final MvccStore store;
    private final long baseRevision;
    private final RecordFields fields = new RecordFields();
    private int nextSub;
    private byte[] previousKey = {};
    private long previousWord;
    private long previousPlace;
    private boolean ended;

    WriteTxn(MvccStore store, long baseRevision) {
        this.store = store;
        this.baseRevision = baseRevision;
    }

    /** The revision before this transaction. */
    public long baseRevision() {
        return baseRevision;
    }

    /** Whether the transaction has changed a key so far. */
    public boolean changed() {
        return nextSub > 0;
    }

    /** The revision as this transaction sees it: base + 1 once something changed, else base. */
    public long revision() {
        return changed() ? baseRevision + 1 : baseRevision;
    }

    /** The newest state of a key, own writes included; null if there is no such key. */
    public @Nullable KvView get(byte[] key) {
        long stamp = store.lock().readLock();
        try {
            long place = store.index().find(key, revision());
            return place == 0 ? null : RangeReader.view(store.batch().places(), place);
        } finally {
            store.lock().unlockRead(stamp);
        }
    }

    /**
     * Reads with own writes visible if {@code query.revision()} is zero or below, else that revision.
     *
     * @throws RevisionCompactedException see {@link MvccStore#range}
     * @throws FutureRevisionException if the revision is above {@link #revision}
     */
    public RangeResult range(RangeQuery query) {
        return new RangeReader(store, new OwnSource(), query).read();
    }

    /** Shows the keys of a range as {@link #range} does, but until the visitor returns false, and without keeping them. */
    public void walk(RangeQuery query, Predicate<KvView> visitor) {
        new RangeReader(store, new OwnSource(), query).walk(visitor);
    }

    /**
     * Writes a key. What it held before can be asked with {@link #previous} and {@link #previousLease} until the next
     * write of this transaction.
     *
     * @param key not empty; kept, not to be changed afterwards
     * @param value the bytes from position to limit; copied, position left as it was
     * @param lease 0 for none
     */
    public void put(byte[] key, ByteBuffer value, long lease) {
        Frame frame = begin(key);
        long revision = baseRevision + 1;
        KeyIndex index = store.index();
        long stamp = store.lock().writeLock();
        try {
            index.put(key, ChangeWord.put(revision, lease != 0), frame.nextPlace());
            written(key, index);
        } finally {
            store.lock().unlockWrite(stamp);
        }
        fields.createRevision = index.createRevision;
        fields.version = index.version == KeyIndex.SATURATED_VERSION
                ? store.replaced(key, revision, previousPlace).version() + 1
                : Integer.toUnsignedLong(index.version);
        fields.lease = lease;
        long place = frame.nextPlace();
        frame.put(fields, key, value);
        changed(frame, false, key, place);
        nextSub++;
    }

    /** What the last {@link #put} replaced, null if it created the key. */
    public @Nullable KvView previous() {
        return previousPlace == 0 ? null : store.replaced(previousKey, baseRevision + 1, previousPlace);
    }

    /** The lease the key of the last {@link #put} was attached to before, 0 if none; rarely reads a record. */
    public long previousLease() {
        return ChangeWord.isLeased(previousWord)
                ? store.replaced(previousKey, baseRevision + 1, previousPlace).lease()
                : 0;
    }

    /**
     * Bytes that a delete of the range (forms as in {@link RangeQuery}) would write, a little more at most.
     *
     * @param enough where to stop: what is returned is only known to be above it, if it is
     */
    public long deleteBytes(byte[] key, byte[] end, long enough) {
        if (end.length == 0) {
            return tombstoneBytes(key);
        }
        KeyScan scan = new KeyScan(key, RangeWalk.end(end), revision(), Long.MAX_VALUE, true);
        long bytes = 0;
        while (!scan.isDone() && bytes <= enough) {
            scan.clear();
            readChunk(scan);
            for (int i = 0; i < scan.size(); i++) {
                bytes += tombstoneBytes(scan.key(i));
            }
        }
        return bytes;
    }

    private void readChunk(KeyScan scan) {
        long stamp = store.lock().readLock();
        try {
            scan.readChunk(store.index());
        } finally {
            store.lock().unlockRead(stamp);
        }
    }

    private static long tombstoneBytes(byte[] key) {
        return (long) Frame.TOMBSTONE_BYTES + key.length;
    }

    /** Deletes every key of the range (forms as in {@link RangeQuery}) that exists now. */
    public DeleteResult delete(byte[] key, byte[] end) {
        DeleteResult result = new DeleteResult(store);
        KeyScan scan = new KeyScan(
                key,
                end.length == 0 ? KeyBytes.successor(key) : RangeWalk.end(end),
                baseRevision + 1,
                Long.MAX_VALUE,
                true);
        while (!scan.isDone()) {
            readChunk(scan);
            for (int i = 0; i < scan.size(); i++) {
                long place = deleteOne(scan.key(i));
                result.add(store.batch().frame(), place, previousWord);
            }
            scan.clear();
        }
        previousWord = 0;
        previousPlace = 0;
        return result;
    }

    /** Returns the place of the tombstone. */
    private long deleteOne(byte[] key) {
        Frame frame = begin(key);
        long revision = baseRevision + 1;
        KeyIndex index = store.index();
        long stamp = store.lock().writeLock();
        try {
            index.delete(key, revision, frame.nextPlace());
            written(key, index);
        } finally {
            store.lock().unlockWrite(stamp);
        }
        long place = frame.nextPlace();
        frame.tombstone(fields, key);
        changed(frame, true, key, place);
        nextSub++;
        return place;
    }

    private Frame begin(byte[] key) {
        if (ended || key.length == 0) {
            throw new IllegalStateException(ended ? "the transaction has ended" : "the key is empty");
        }
        return store.batch().frame();
    }

    /** Takes over what the index found. */
    private void written(byte[] key, KeyIndex index) {
        previousKey = key;
        previousWord = index.previousWord;
        previousPlace = index.previousPlace;
        if (index.liveDelta != 0) {
            store.unpublished().add(key, index.liveDelta);
        }
        fields.revision = baseRevision + 1;
        fields.sub = nextSub;
        fields.previousRevision = ChangeWord.revision(previousWord);
        fields.previousPlace = previousPlace;
    }

    /** Tells the batch of the change whose record lies at a place of its frame. */
    private void changed(Frame frame, boolean delete, byte[] key, long place) {
        long revision = baseRevision + 1;
        if (store.batch().lists(revision)) {
            store.batch().changed(new Change(revision, delete, key, frame.body(place), previousPlace));
        }
        store.written(frame.nextPlace() - place);
    }

    /** Closes the transaction; its changes are part of the frame that the next commit writes. */
    public void end() {
        if (!ended) {
            ended = true;
            store.batch().ended(this);
        }
    }

    /** What the transaction's own reads run against. */
    private final class OwnSource implements RangeReader.Source {
        @Override
        public RecordStore.Places places() {
            return store.batch().places();
        }

        @Override
        public long newestRevision() {
            return revision();
        }

        @Override
        public int countNewest(byte[] from, byte @Nullable [] end) {
            return store.index().count(from, end);
        }

        @Override
        public RecordStore.@Nullable Snapshot log() {
            return null;
        }
    }
}

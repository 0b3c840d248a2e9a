/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.mvcc;

import dev.nightjar.core.storage.Frame;
import dev.nightjar.core.storage.StoredRecord;
import java.util.BitSet;
import java.util.Iterator;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

/**
 * The keys that one delete removed, ascending. Apply thread, until the commit; views taken from it may go anywhere.
 *
 * <p>One delete may remove millions of keys. What has to be known of them is in their tombstones, which follow each other
 * in the frame under construction, so nothing is kept here but where they begin and which keys had leases.
 */
public final class DeleteResult implements Iterable<DeleteResult.DeletedKey> {

    private final MvccStore store;
    private final BitSet leased = new BitSet();
    private @Nullable Frame frame;
    private long firstPlace;
    private int count;

    DeleteResult(MvccStore store) {
        this.store = store;
    }

    /** Adds the next key, given where its tombstone lies and the change word that it had. */
    void add(Frame written, long place, long previousWord) {
        if (count == 0) {
            frame = written;
            firstPlace = place;
        }
        if (ChangeWord.isLeased(previousWord)) {
            leased.set(count);
        }
        count++;
    }

    /** Number of keys deleted. */
    public int count() {
        return count;
    }

    /** The deleted keys; decoded one by one. */
    @Override
    public Iterator<DeletedKey> iterator() {
        return new Tombstones();
    }

    /** One deleted key. */
    public final class DeletedKey {
        private final StoredRecord tombstone;
        private final boolean hadLease;

        private DeletedKey(StoredRecord tombstone, boolean hadLease) {
            this.tombstone = tombstone;
            this.hadLease = hadLease;
        }

        public byte[] key() {
            return tombstone.key();
        }

        /** The lease that the key was attached to, 0 if none; reads the old record only if there was one. */
        public long lease() {
            return hadLease ? previous().lease() : 0;
        }

        /** What the key held before. */
        public KvView previous() {
            return store.replaced(tombstone.key(), tombstone.revision(), tombstone.previousPlace());
        }
    }

    private final class Tombstones implements Iterator<DeletedKey> {
        private long place = firstPlace;
        private int index;

        @Override
        public boolean hasNext() {
            return index < count;
        }

        @Override
        public DeletedKey next() {
            Frame tombstones = frame;
            if (tombstones == null || !hasNext()) {
                throw new NoSuchElementException();
            }
            StoredRecord tombstone = tombstones.read(place);
            place += tombstone.totalBytes();
            return new DeletedKey(tombstone, leased.get(index++));
        }
    }
}

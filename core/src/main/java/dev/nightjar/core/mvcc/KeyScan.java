/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.mvcc;

import dev.nightjar.core.storage.RecordStore;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * One walk over a range of the index at a fixed revision, in chunks: the index may change in between, the result does
 * not. One thread; each chunk under the index's lock.
 */
final class KeyScan {

    /** Entries looked at under one lock hold: about 10 microseconds. */
    static final int CHUNK_ENTRIES = 512;

    private final byte @Nullable [] end;
    private final long revision;
    private final long limit;
    private final boolean withKeys;
    private final @Nullable ChangedKeys changed;

    private byte @Nullable [] next;
    private long count;
    private long[] places = new long[16];
    private byte[][] keys = new byte[0][];
    private int size;
    private long collected;

    private final TreePath path = new TreePath();

    /**
     * @param from first key
     * @param end first key that is not wanted, null for none
     * @param revision the state to look at
     * @param limit most places to collect; counting goes on
     * @param withKeys whether to collect keys as well
     */
    KeyScan(byte[] from, byte @Nullable [] end, long revision, long limit, boolean withKeys) {
        this(new Bounds(from, end), revision, limit, withKeys, null);
    }

    private record Bounds(byte[] from, byte @Nullable [] end) {}

    /** The places of a range, with some keys as they are at the revision after that one. */
    static KeyScan places(
            byte[] from, byte @Nullable [] end, long revision, long limit, @Nullable ChangedKeys changed) {
        return new KeyScan(new Bounds(from, end), revision, limit, false, changed);
    }

    private KeyScan(Bounds bounds, long revision, long limit, boolean withKeys, @Nullable ChangedKeys changed) {
        byte[] from = bounds.from;
        byte @Nullable [] end = bounds.end;
        this.changed = changed;
        this.next = end != null && Arrays.compareUnsigned(from, end) >= 0 ? null : from;
        this.end = end;
        this.revision = revision;
        this.limit = limit;
        this.withKeys = withKeys;
    }

    boolean isDone() {
        return next == null;
    }

    /** Whether the limit of collected places has been reached. */
    boolean isFull() {
        return collected >= limit;
    }

    /** Number of keys seen so far that exist at the revision. */
    long count() {
        return count;
    }

    /** Number of collected places. */
    int size() {
        return size;
    }

    long place(int index) {
        return places[index];
    }

    /** Copies collected places. */
    void copyPlaces(int from, int count, long[] target, int at) {
        System.arraycopy(places, from, target, at, count);
    }

    /** See {@link RecordStore.Places#lengths}, of all collected places. */
    void lengths(RecordStore.Places table, boolean withoutValues, int[] lengths) {
        table.lengths(places, size, withoutValues, lengths);
    }

    byte[] key(int index) {
        return keys[index];
    }

    /** Forgets what was collected, not where the walk is. */
    void clear() {
        size = 0;
    }

    /** Looks at the next entries. */
    void readChunk(KeyIndex index) {
        byte[] from = next;
        if (from == null) {
            return;
        }
        LeafPages pages = index.pages();
        int page = path.descend(index.root(), from);
        int slot = pages.find(page, from);
        slot = slot < 0 ? -1 - slot : slot;
        int left = CHUNK_ENTRIES;
        while (true) {
            int pageCount = pages.count(page);
            int pageEnd = pageCount;
            if (end != null) {
                int found = pages.find(page, end);
                pageEnd = found < 0 ? -1 - found : found;
            }
            int stop = Math.min(pageEnd, slot + left);
            left -= Math.max(0, stop - slot);
            for (; slot < stop; slot++) {
                see(index, page, slot);
            }
            if (slot < pageEnd) {
                next = pages.key(page, slot);
                return;
            }
            if (pageEnd < pageCount || !path.advance()) {
                next = null;
                return;
            }
            page = path.page();
            slot = 0;
        }
    }

    private void see(KeyIndex index, int page, int slot) {
        ChangedKeys later = changed;
        boolean isLater = later != null && later.contains(index.pages().key(page, slot));
        long place = index.visible(page, slot, isLater ? revision + 1 : revision);
        if (place == 0) {
            return;
        }
        count++;
        if (collected >= limit) {
            return;
        }
        if (size == places.length) {
            places = Arrays.copyOf(places, 2 * size);
        }
        places[size] = place;
        if (withKeys) {
            if (size >= keys.length) {
                keys = Arrays.copyOf(keys, places.length);
            }
            keys[size] = index.pages().key(page, slot);
        }
        size++;
        collected++;
    }
}

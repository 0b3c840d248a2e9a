/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.mvcc;

import dev.nightjar.core.storage.RecordStore;
import dev.nightjar.core.storage.StoredRecord;
import dev.nightjar.core.storage.Varint;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The answer to a range of any length, without a copy of it: first measured, so that its length is known before the first
 * byte, then copied piece by piece from the mapped files. One thread at a time, except for {@link #holdsCompaction}.
 *
 * <p>Order of the steps: all keys of the range at the revision, count, filter, sort, cut. {@link RangeWalk} finds the keys;
 * without filter and sort it ends at the limit.
 *
 * <pre>
 *   measure                 one walk; keeps the places if they are few, or have to be sorted
 *   copy, copy, copy ...    from the kept places; or by a second walk, at the same revision, which stays pinned
 *   close                   in any case
 * </pre>
 *
 * So memory does not grow with the number of keys, but for sorted answers, which have a budget. What is pinned keeps
 * compaction from forgetting what was superseded after it: whoever holds a cursor for long asks {@link #holdsCompaction}.
 * Without a pin only the mapped files are held.
 */
public final class RangeCursor implements LongRead {

    /** Places that are kept instead of a second walk; as much memory as the rest of a call may take. */
    public static final int KEPT_PLACES = 4096;

    /** Tag and length before a key-value. */
    public static final int MAX_HEAD_BYTES = 6;

    private static final byte TAG_KV = 0x12;

    private byte tag = TAG_KV;

    private final MvccStore store;
    private final RangeReader.Source reader;
    private final RangeQuery query;
    private final RangeWalk walk;
    private final PlaceTables tables = new PlaceTables();
    private long[] kept = new long[64];
    private int[] lengths = {};
    private boolean keepsAll = true;
    private @Nullable SortedPlaces sorted;
    private RecordSource records;
    private long keys;
    private long bytes;
    private boolean more;
    private volatile boolean pinned;

    // The key-value that is being copied.
    private MemorySegment part = MemorySegment.NULL;
    private long partAt;
    private long partEnd;

    private long copiedBytes;

    RangeCursor(MvccStore store, RangeReader.Source reader, RangeQuery query) {
        this.store = store;
        this.reader = reader;
        this.query = query;
        this.walk = new RangeWalk(store, reader, query);
        this.records = new RecordSource.Kept(tables, kept, 0);
    }

    /** See {@link RangeWalk#lookingAtMost}. */
    RangeCursor lookingAtMost(long mostKeys) {
        walk.lookingAtMost(mostKeys);
        return this;
    }

    boolean gaveUp() {
        return walk.gaveUp();
    }

    /** Finds and measures the whole answer. */
    RangeCursor measure(MemoryBudget budget) {
        boolean measured = false;
        try {
            if (query.countOnly()) {
                walk.run(0, (scan, places) -> true);
            } else if (query.isInKeyOrder()) {
                measureInKeyOrder();
            } else {
                measureSorted(budget);
            }
            measured = true;
            return this;
        } finally {
            if (!measured) {
                close();
            }
        }
    }

    private void measureInKeyOrder() {
        long most = query.limit() > 0 ? query.limit() : Long.MAX_VALUE;
        walk.keepingPin();
        if (query.isFiltered()) {
            walk.run(Long.MAX_VALUE, (scan, places) -> addAccepted(scan, places, most));
        } else {
            walk.run(most, this::addAll);
            more = query.limit() > 0 && walk.count() > keys;
        }
        if (keepsAll) {
            walk.unpin();
            records = new RecordSource.Kept(tables, kept, (int) keys);
        } else {
            pinned = true;
            records = new RecordSource.Walked(store, reader, query, walk, keys);
        }
    }

    private boolean addAccepted(KeyScan scan, RecordStore.Places places, long most) {
        for (int i = 0; i < scan.size(); i++) {
            StoredRecord record = RangeWalk.record(places, scan.place(i));
            if (!query.filter().accepts(record)) {
                continue;
            }
            if (keys == most) {
                more = true;
                break;
            }
            keep(scan, i, 1, places);
            bytes += fieldBytes(length(record));
        }
        return true;
    }

    private boolean addAll(KeyScan scan, RecordStore.Places places) {
        int size = scan.size();
        if (lengths.length < size) {
            lengths = new int[size];
        }
        scan.lengths(places, query.keysOnly(), lengths);
        long added = 0;
        for (int i = 0; i < size; i++) {
            added += fieldBytes(lengths[i]);
        }
        keep(scan, 0, size, places);
        bytes += added;
        return true;
    }

    /** Counts keys, and keeps their places as long as there are few. */
    private void keep(KeyScan scan, int from, int count, RecordStore.Places places) {
        keepsAll &= keys + count <= KEPT_PLACES;
        if (keepsAll) {
            if (keys + count > kept.length) {
                long expected = Math.max(walk.count(), 2L * kept.length);
                kept = Arrays.copyOf(kept, (int) Math.clamp(expected, keys + count, KEPT_PLACES));
            }
            scan.copyPlaces(from, count, kept, (int) keys);
            tables.add(places);
        }
        keys += count;
    }

    private void measureSorted(MemoryBudget budget) {
        SortedPlaces sort = new SortedPlaces(query, budget);
        sorted = sort;
        walk.run(Long.MAX_VALUE, (scan, places) -> {
            sort.add(scan, places);
            return true;
        });
        RecordSource all = sort.finish();
        for (StoredRecord record = all.next(); record != null; record = all.next()) {
            bytes += fieldBytes(length(record));
        }
        keys = sort.size();
        more = sort.seen() > keys;
        records = sort.source();
    }

    /** Finds the first keys of the range, in key order: at most the limit, and few enough to come to about so many bytes. */
    RangeCursor measurePiece(long targetBytes, boolean counts) {
        long most = query.limit();
        if (most <= 0 || most > KEPT_PLACES) {
            throw new IllegalArgumentException("a piece of " + most + " keys");
        }
        boolean[] full = {false};
        RangeWalk counting = counts ? walk : walk.withoutCount();
        counting.run(query.countOnly() ? 0 : most + 1, (scan, places) -> {
            for (int i = 0; i < scan.size() && !full[0]; i++) {
                if (keys == most || bytes >= targetBytes) {
                    full[0] = true;
                } else {
                    bytes += fieldBytes(length(RangeWalk.record(places, scan.place(i))));
                    keep(scan, i, 1, places);
                }
            }
            return counts || !full[0];
        });
        more = full[0];
        records = new RecordSource.Kept(tables, kept, (int) keys);
        return this;
    }

    private static long fieldBytes(int length) {
        return 1 + Varint.size(length) + (long) length;
    }

    /** Bytes of a key-value in the answer: without its value, which comes last, if only keys are wanted. */
    private int length(StoredRecord record) {
        return query.keysOnly() ? record.prefixLength() : record.bodyLength();
    }

    /** Has the key-values copied as another field than the one with number 2. */
    public RangeCursor withTag(byte newTag) {
        tag = newTag;
        return this;
    }

    /** The revision that is read. */
    public long revision() {
        return walk.revision();
    }

    /** Number of keys in the range, before filters and limit. */
    public long count() {
        return walk.count();
    }

    /** Whether the limit cuts keys off. */
    public boolean more() {
        return more;
    }

    /** Number of key-values in the answer. */
    public long keys() {
        return keys;
    }

    /** Bytes of all key-values of the answer, each as a field of the message. */
    @Override
    public long bytes() {
        return bytes;
    }

    /** The last key that is found; of an answer whose places are kept. */
    public byte[] lastKey() {
        return tables.read(kept[(int) keys - 1]).key();
    }

    /** All key-values with their values, in place of {@link #copy}: for answers that are small. */
    List<KvView> views() {
        List<KvView> views = new ArrayList<>((int) keys);
        for (StoredRecord record = records.next(); record != null; record = records.next()) {
            views.add(new KvView(record));
        }
        return views;
    }

    @Override
    public boolean isDone() {
        return copiedBytes == bytes;
    }

    /** Copies key-values as fields with number 2, or another one. */
    @Override
    public void copy(ByteBuffer target) {
        MemorySegment out = MemorySegment.ofBuffer(target);
        long end = out.byteSize();
        long at = 0;
        while (at < end && !isDone()) {
            if (partAt == partEnd) {
                if (end - at < MAX_HEAD_BYTES) {
                    break;
                }
                at = beginPart(out, at);
            }
            long count = Math.min(end - at, partEnd - partAt);
            MemorySegment.copy(part, partAt, out, at, count);
            at += count;
            partAt += count;
            copiedBytes += count;
        }
        if (isDone()) {
            part = MemorySegment.NULL; // lets go of the file
        }
        target.position(target.position() + (int) at);
    }

    private long beginPart(MemorySegment out, long start) {
        StoredRecord record = records.next();
        if (record == null) {
            throw new IllegalStateException("an answer came to fewer bytes than were measured");
        }
        int length = length(record);
        long at = start;
        out.set(ValueLayout.JAVA_BYTE, at++, tag);
        at = Varint.write(out, at, length);
        copiedBytes += at - start;
        part = record.memory();
        partAt = record.bodyOffset();
        partEnd = partAt + length;
        return at;
    }

    @Override
    public boolean holdsCompaction() {
        return pinned && store.compactedRevision() > walk.revision();
    }

    @Override
    public void close() {
        pinned = false;
        walk.unpin();
        SortedPlaces sort = sorted;
        if (sort != null) {
            sort.close();
        }
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.mvcc;

import dev.nightjar.core.mvcc.RangeQuery.SortOrder;
import dev.nightjar.core.mvcc.RangeQuery.SortTarget;
import dev.nightjar.core.storage.RecordStore;
import java.util.Arrays;

/**
 * The places of an answer that has another order than the index: for each key a number to sort by and the place. One
 * thread at a time.
 *
 * <p>Of a limited answer only what can still be in it is kept: when twice the limit has gathered, that is sorted and cut.
 * The memory comes from a budget; a sort that finds none ends with {@link ReadTooLargeException}.
 */
final class SortedPlaces {

    /** Number, place, and while sorting two indices; after it a copy of the places, and of the numbers if it goes on. */
    static final int ENTRY_BYTES = 8 + 8 + 4 + 4 + 4;

    private static final int FIRST_ENTRIES = 1024;

    private final RangeQuery query;
    private final MemoryBudget budget;
    private final PlaceTables tables = new PlaceTables();
    private final boolean descending;
    private final long most;
    private long[] numbers = new long[FIRST_ENTRIES];
    private long[] places = new long[FIRST_ENTRIES];
    private int size;
    private long seen;
    private long takenBytes;

    SortedPlaces(RangeQuery query, MemoryBudget budget) {
        this.query = query;
        this.budget = budget;
        this.descending = query.sort().order() == SortOrder.DESCEND;
        this.most = query.limit() > 0 ? query.limit() : Long.MAX_VALUE;
    }

    /** Takes what a chunk has collected, in the order of keys. */
    void add(KeyScan scan, RecordStore.Places current) {
        tables.add(current);
        for (int i = 0; i < scan.size(); i++) {
            KvView view = RangeReader.view(current, scan.place(i));
            if (!query.filter().accepts(view)) {
                continue;
            }
            if (size == places.length) {
                makeRoom();
            }
            numbers[size] = number(view);
            places[size++] = scan.place(i);
            seen++;
        }
    }

    private long number(KvView view) {
        return switch (query.sort().target()) {
            case KEY -> seen;
            case VERSION -> view.version();
            case CREATE -> view.createRevision();
            case MOD -> view.modRevision();
            case VALUE -> view.valueHead();
        };
    }

    private void makeRoom() {
        if (most <= size / 2) {
            sortAndCut();
            return;
        }
        int larger = Math.addExact(size, size);
        take((long) (larger - size) * ENTRY_BYTES);
        numbers = Arrays.copyOf(numbers, larger);
        places = Arrays.copyOf(places, larger);
    }

    private void take(long bytes) {
        if (!budget.take(bytes)) {
            throw new ReadTooLargeException();
        }
        takenBytes += bytes;
    }

    /** How many keys passed the filter, also those that were cut. */
    long seen() {
        return seen;
    }

    /** Sorts, cuts to the limit, and gives back what only sorting needed. */
    RecordSource.Kept finish() {
        int[] order = sorted();
        numbers = new long[0];
        cut(order);
        long kept = (long) places.length * Long.BYTES;
        if (takenBytes > kept) {
            budget.release(takenBytes - kept);
            takenBytes = kept;
        }
        return source();
    }

    /** The result, from its beginning. */
    RecordSource.Kept source() {
        return new RecordSource.Kept(tables, places, size);
    }

    int size() {
        return size;
    }

    /** Gives the memory back. */
    void close() {
        budget.release(takenBytes);
        takenBytes = 0;
    }

    private void sortAndCut() {
        int[] order = sorted();
        long[] all = numbers;
        cut(order);
        numbers = new long[places.length];
        Arrays.setAll(numbers, i -> i < size ? all[order[i]] : 0);
    }

    /** Puts the places into their order, as many as the limit allows. */
    private void cut(int[] order) {
        long[] all = places;
        int kept = (int) Math.min(size, most);
        places = new long[numbers.length == 0 ? kept : all.length];
        for (int i = 0; i < kept; i++) {
            places[i] = all[order[i]];
        }
        size = kept;
    }

    /** A stable merge sort of the indices, bottom up. */
    private int[] sorted() {
        int[] from = new int[size];
        int[] to = new int[size];
        Arrays.setAll(from, i -> i);
        for (int run = 1; run > 0 && run < size; run *= 2) {
            for (long start = 0; start < size; start += 2L * run) {
                merge(from, to, (int) start, run);
            }
            int[] swap = from;
            from = to;
            to = swap;
        }
        return from;
    }

    private void merge(int[] from, int[] to, int start, int run) {
        int middle = (int) Math.min(size, (long) start + run);
        int end = (int) Math.min(size, (long) start + 2L * run);
        int left = start;
        int right = middle;
        for (int at = start; at < end; at++) {
            boolean takeLeft = left < middle && (right == end || compare(from[left], from[right]) <= 0);
            to[at] = takeLeft ? from[left++] : from[right++];
        }
    }

    private int compare(int one, int other) {
        int order = Long.compare(numbers[one], numbers[other]);
        if (order == 0 && query.sort().target() == SortTarget.VALUE) {
            order = view(one).compareValue(view(other));
        }
        return descending ? -order : order;
    }

    private KvView view(int index) {
        return new KvView(tables.read(places[index]));
    }
}

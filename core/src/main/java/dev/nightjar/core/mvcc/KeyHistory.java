/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.mvcc;

import java.util.Arrays;

/**
 * The older changes of the keys that have more than one: for each such key a list of (change word, place), ascending by
 * revision, without the newest change, which is in the index entry. Guarded by the index's lock.
 *
 * <p>A list is {@code [n, word 0, place 0, word 1, place 1, …]}; lists have numbers from 1.
 */
final class KeyHistory {

    /** Most keys that have a history at all have one older change, above all deleted ones. */
    private static final int INITIAL_PAIRS = 1;

    private long[][] lists = new long[16][];
    private int[] free = new int[16];
    private int freeCount;
    private int nextId = 1;

    /** Appends a change to a list, 0 for a new one; returns the list's number. */
    int push(int id, long word, long place) {
        int target = id == 0 ? create() : id;
        long[] list = lists[target];
        int count = (int) list[0];
        if (1 + 2 * count == list.length) {
            list = Arrays.copyOf(list, 1 + 4 * count);
            lists[target] = list;
        }
        list[1 + 2 * count] = word;
        list[2 + 2 * count] = place;
        list[0] = count + 1L;
        return target;
    }

    int count(int id) {
        return (int) lists[id][0];
    }

    long word(int id, int index) {
        return lists[id][1 + 2 * index];
    }

    long place(int id, int index) {
        return lists[id][2 + 2 * index];
    }

    void setPlace(int id, int index, long place) {
        lists[id][2 + 2 * index] = place;
    }

    /** Index of the newest change at or below a revision, -1 if there is none. */
    int floor(int id, long revision) {
        long[] list = lists[id];
        int low = 0;
        int high = (int) list[0];
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (ChangeWord.revision(list[1 + 2 * middle]) <= revision) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low - 1;
    }

    /** Forgets the first {@code dropped} changes; returns 0 if the list has become empty and is gone, else its number. */
    int dropFirst(int id, int dropped) {
        long[] list = lists[id];
        int left = (int) list[0] - dropped;
        if (left == 0) {
            release(id);
            return 0;
        }
        if (dropped > 0) {
            long[] shorter = new long[1 + 2 * left];
            System.arraycopy(list, 1 + 2 * dropped, shorter, 1, 2 * left);
            shorter[0] = left;
            lists[id] = shorter;
        }
        return id;
    }

    private int create() {
        int id;
        if (freeCount > 0) {
            id = free[--freeCount];
        } else {
            if (nextId == lists.length) {
                lists = Arrays.copyOf(lists, 2 * lists.length);
            }
            id = nextId++;
        }
        lists[id] = new long[1 + 2 * INITIAL_PAIRS];
        return id;
    }

    private void release(int id) {
        lists[id] = EMPTY;
        if (freeCount == free.length) {
            free = Arrays.copyOf(free, 2 * free.length);
        }
        free[freeCount++] = id;
    }

    private static final long[] EMPTY = {0};

    /** Number of lists in use. */
    int size() {
        return nextId - 1 - freeCount;
    }
}

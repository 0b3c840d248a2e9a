/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.mvcc;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * Rewrites leaves: inserting with or without a split, and merging. Used by the writer of the {@link KeyIndex} only, under
 * its lock; the results of the last operation stay in the fields.
 */
final class LeafEditor {

    static final int NO_PAGE = -1;

    /** A rewritten page that has less room than this is split instead: it would be rewritten again at once. */
    private static final int MIN_SLACK_BYTES = 512;
    /** A merge must leave this much room, for the same reason. */
    private static final int MERGE_SLACK_BYTES = 1024;

    private static final int INITIAL_KEYS = 256;

    private final LeafPages pages;
    /** Holds the old content while a page is rewritten. */
    private final int scratch;

    private byte[][] keys = new byte[INITIAL_KEYS][];
    private int[] longKeys = new int[INITIAL_KEYS];
    private int count;

    /** Page and slot of the inserted key. */
    int page;

    int slot;

    /** The page that was split off to the right, {@link #NO_PAGE} if none, and the smallest key that goes there. */
    int splitPage;

    byte[] separator = {};

    LeafEditor(LeafPages pages) {
        this.pages = pages;
        this.scratch = pages.allocate();
    }

    /**
     * Inserts a key that is not there; its payload is to be set at {@link #page} and {@link #slot} afterwards.
     *
     * @param rightmost whether no page lies to the right: keys that arrive in order then leave full pages behind
     */
    void insert(int target, int at, byte[] key, boolean rightmost) {
        int longKey = key.length > LeafPages.MAX_INLINE_KEY ? pages.longKeys().add(key) : -1;
        splitPage = NO_PAGE;
        page = target;
        slot = at;
        if (pages.sharesPrefix(target, key) && pages.hasRoom(target, key)) {
            pages.insert(target, at, key, longKey);
            return;
        }
        count = 0;
        gather(target, 0, at);
        add(key, longKey);
        gather(target, at, pages.count(target));
        if (bytes(0, count) + MIN_SLACK_BYTES <= LeafPages.PAGE_BYTES) {
            rewrite(target, 0, count, at);
            return;
        }
        int split = splitPoint(at, rightmost);
        splitPage = pages.allocate();
        separator = separator(keys[split - 1], keys[split]);
        split(target, split, at);
        Arrays.fill(keys, 0, count, null);
    }

    /** Moves all slots of {@code right}, the next page, into {@code left} if they fit, and tells whether they did. */
    boolean merge(int left, int right) {
        if (pages.usedBytes(left) + pages.usedBytes(right) > 2 * LeafPages.PAGE_BYTES - MERGE_SLACK_BYTES) {
            return false;
        }
        count = 0;
        gather(left, 0, pages.count(left));
        int moved = count;
        gather(right, 0, pages.count(right));
        boolean fits = bytes(0, count) + MERGE_SLACK_BYTES <= LeafPages.PAGE_BYTES;
        if (fits) {
            copyToScratch(left);
            fill(left, 0, moved, prefixOf(0, count));
            for (int i = 0; i < moved; i++) {
                movePayload(scratch, i, left, i);
            }
            for (int i = moved; i < count; i++) {
                pages.insert(left, i, keys[i], longKeys[i]);
                movePayload(right, i - moved, left, i);
            }
        }
        Arrays.fill(keys, 0, count, null);
        return fits;
    }

    // ---- the gathered keys

    private void gather(int source, int from, int to) {
        for (int i = from; i < to; i++) {
            add(pages.key(source, i), pages.longKey(source, i));
        }
    }

    private void add(byte[] key, int longKey) {
        if (count == keys.length) {
            keys = Arrays.copyOf(keys, 2 * count);
            longKeys = Arrays.copyOf(longKeys, 2 * count);
        }
        keys[count] = key;
        longKeys[count++] = longKey;
    }

    /**
     * Length of the prefix with which the gathered keys take least room, so that keys which fitted a page fit it whatever
     * prefix it had. A byte of it is stored once and saves one of each key that is longer than it by more than the head
     * which every slot has: it is worth it as long as that are two keys. One key alone gets no prefix that the next one
     * would break.
     */
    private int prefixOf(int from, int to) {
        if (to - from < 2) {
            return 0;
        }
        int longest = 0;
        int second = 0;
        for (int i = from; i < to; i++) {
            int length = longKeys[i] < 0 ? keys[i].length : 0;
            second = Math.max(second, Math.min(longest, length));
            longest = Math.max(longest, length);
        }
        int common = KeyBytes.commonPrefix(keys[from], keys[to - 1]);
        return Math.min(Math.min(common, LeafPages.MAX_INLINE_KEY), Math.max(0, second - LeafPages.HEAD_BYTES));
    }

    private int bytes(int from, int to) {
        int prefix = prefixOf(from, to);
        int bytes = LeafPages.HEADER_BYTES + prefix;
        for (int i = from; i < to; i++) {
            bytes += LeafPages.SLOT_BYTES + LeafPages.heapBytes(keys[i], prefix);
        }
        return bytes;
    }

    private int splitPoint(int inserted, boolean rightmost) {
        if (rightmost && inserted == count - 1) {
            return inserted;
        }
        int prefix = prefixOf(0, count);
        int half = bytes(0, count) / 2;
        int bytes = LeafPages.HEADER_BYTES + prefix;
        int split = 0;
        while (bytes < half) {
            bytes += LeafPages.SLOT_BYTES + LeafPages.heapBytes(keys[split], prefix);
            split++;
        }
        split = Math.clamp(split, 1, count - 1);
        if (bytes(0, split) <= LeafPages.PAGE_BYTES && bytes(split, count) <= LeafPages.PAGE_BYTES) {
            return split;
        }
        // Only a key without the common prefix can do that, and it is the first or the last: leave the others as
        // they were.
        return inserted == 0 ? 1 : count - 1;
    }

    /** The shortest key above {@code left} and not above {@code right}. */
    static byte[] separator(byte[] left, byte[] right) {
        return Arrays.copyOf(right, KeyBytes.commonPrefix(left, right) + 1);
    }

    // ---- rewriting

    private void copyToScratch(int source) {
        MemorySegment.copy(
                pages.slab(source),
                LeafPages.base(source),
                pages.slab(scratch),
                LeafPages.base(scratch),
                LeafPages.PAGE_BYTES);
    }

    /** Fills an emptied page with the gathered keys {@code from} to {@code to}; payloads are to be moved then. */
    private void fill(int target, int from, int to, int prefix) {
        pages.clear(target);
        pages.setPrefix(target, keys[from], prefix);
        for (int i = from; i < to; i++) {
            pages.insert(target, i - from, keys[i], longKeys[i]);
        }
    }

    private void rewrite(int target, int from, int to, int inserted) {
        copyToScratch(target);
        refill(target, from, to, inserted);
        Arrays.fill(keys, 0, count, null);
    }

    private void split(int target, int split, int inserted) {
        copyToScratch(target);
        refill(target, 0, split, inserted);
        refill(splitPage, split, count, inserted);
    }

    private void refill(int target, int from, int to, int inserted) {
        fill(target, from, to, prefixOf(from, to));
        for (int i = from; i < to; i++) {
            if (i == inserted) {
                page = target;
                slot = i - from;
            } else {
                movePayload(scratch, i < inserted ? i : i - 1, target, i - from);
            }
        }
    }

    private void movePayload(int fromPage, int fromSlot, int toPage, int toSlot) {
        pages.copyPayload(fromPage, fromSlot, toPage, toSlot);
        if (!ChangeWord.isTombstone(pages.word(toPage, toSlot))) {
            pages.addLive(toPage, 1);
        }
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.mvcc;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.Executor;

/**
 * The leaves of the {@link KeyIndex}: pages of 4 KB outside the heap, where the collector does not have to walk through
 * millions of entries. Guarded by the index's lock.
 *
 * <pre>
 *   page   0  number of slots (2)     2  prefix length (2)     4  prefix offset (2)
 *          6  start of the heap (2)   8  dead bytes in it (2) 10  live slots (2)     12  zero (4); see copyTo
 *         16  slots, ascending by key; then free space; then the heap, which grows towards the slots
 *
 *   slot   0  suffix offset (2)       2  suffix length (2)     4  head: first 4 bytes of the suffix (4)
 *          8  history (4)            12  version (4)          16  change word (8)
 *         24  create revision (8)    32  place (8)
 * </pre>
 *
 * All keys of a page begin with its prefix, which is kept once; a slot's suffix is the rest of the key. The head
 * decides most comparisons without a look into the heap, which holds the suffix from its fifth byte on. A key longer
 * than {@link #MAX_INLINE_KEY} lies in {@link LongKeys}; its heap entry is its number there.
 */
final class LeafPages implements AutoCloseable {

    static final int PAGE_BYTES = 4096;
    static final int HEADER_BYTES = 16;
    static final int SLOT_BYTES = 40;
    /** At least three keys fit a page, whatever they look like; without that a split could fail. */
    static final int MAX_INLINE_KEY = 1000;

    static final int HEAD_BYTES = 4;
    static final int LONG_KEY = 0xffff;

    private static final int PAGES_IN_SLAB = 256;
    private static final ValueLayout.OfShort U16 = ValueLayout.JAVA_SHORT;
    private static final ValueLayout.OfInt I32 = ValueLayout.JAVA_INT;
    private static final ValueLayout.OfLong I64 = ValueLayout.JAVA_LONG;

    private final SlabMaker maker = new SlabMaker((long) PAGES_IN_SLAB * PAGE_BYTES, PAGE_BYTES);
    private final LongKeys longKeys = new LongKeys();
    private MemorySegment[] slabs = new MemorySegment[0];
    private int[] free = new int[16];
    private int freeCount;
    private int allocated;

    /** The slab that copies go to, as a buffer: to make one for each page would take longer than to copy it. */
    private ByteBuffer filled = ByteBuffer.allocate(0);

    private int filledSlab = -1;

    // ---- pages

    /** A page without slots. */
    int allocate() {
        int page;
        if (freeCount > 0) {
            page = free[--freeCount];
        } else {
            if (allocated == slabs.length * PAGES_IN_SLAB) {
                slabs = Arrays.copyOf(slabs, slabs.length + 1);
                slabs[slabs.length - 1] = maker.next();
            }
            page = allocated++;
        }
        clear(page);
        return page;
    }

    /** Lets another thread get memory until {@link #stopAhead}; it may do so late or never. */
    void makeAhead(Executor helper) {
        maker.makeAhead(helper);
    }

    void stopAhead() {
        maker.stopAhead();
    }

    void free(int page) {
        if (freeCount == free.length) {
            free = Arrays.copyOf(free, 2 * free.length);
        }
        free[freeCount++] = page;
    }

    /** Bytes outside the heap that are taken. */
    long memoryBytes() {
        return (long) slabs.length * PAGES_IN_SLAB * PAGE_BYTES;
    }

    LongKeys longKeys() {
        return longKeys;
    }

    void clear(int page) {
        MemorySegment slab = slab(page);
        long base = base(page);
        slab.set(I64, base, 0);
        slab.set(I64, base + 8, 0);
        slab.set(U16, base + 6, (short) PAGE_BYTES);
    }

    MemorySegment slab(int page) {
        return slabs[page / PAGES_IN_SLAB];
    }

    static long base(int page) {
        return (long) (page % PAGES_IN_SLAB) * PAGE_BYTES;
    }

    @Override
    public void close() {
        maker.close();
    }

    // ---- page header

    int count(int page) {
        return u16(page, 0);
    }

    int prefixLength(int page) {
        return u16(page, 2);
    }

    int live(int page) {
        return u16(page, 10);
    }

    void addLive(int page, int delta) {
        setU16(page, 10, live(page) + delta);
    }

    /** Bytes that slots, suffixes and prefix take. */
    int usedBytes(int page) {
        return PAGE_BYTES - u16(page, 6) - u16(page, 8) + HEADER_BYTES + count(page) * SLOT_BYTES;
    }

    private int u16(int page, int field) {
        return Short.toUnsignedInt(slab(page).get(U16, base(page) + field));
    }

    private void setU16(int page, int field, int value) {
        slab(page).set(U16, base(page) + field, (short) value);
    }

    // ---- slots

    private static long slot(int page, int slot) {
        return base(page) + HEADER_BYTES + (long) slot * SLOT_BYTES;
    }

    int history(int page, int slot) {
        return slab(page).get(I32, slot(page, slot) + 8);
    }

    void setHistory(int page, int slot, int history) {
        slab(page).set(I32, slot(page, slot) + 8, history);
    }

    int version(int page, int slot) {
        return slab(page).get(I32, slot(page, slot) + 12);
    }

    void setVersion(int page, int slot, int version) {
        slab(page).set(I32, slot(page, slot) + 12, version);
    }

    long word(int page, int slot) {
        return slab(page).get(I64, slot(page, slot) + 16);
    }

    void setWord(int page, int slot, long word) {
        slab(page).set(I64, slot(page, slot) + 16, word);
    }

    long create(int page, int slot) {
        return slab(page).get(I64, slot(page, slot) + 24);
    }

    void setCreate(int page, int slot, long revision) {
        slab(page).set(I64, slot(page, slot) + 24, revision);
    }

    long place(int page, int slot) {
        return slab(page).get(I64, slot(page, slot) + 32);
    }

    void setPlace(int page, int slot, long place) {
        slab(page).set(I64, slot(page, slot) + 32, place);
    }

    /** Copies everything but the key from one slot to another. */
    void copyPayload(int fromPage, int fromSlot, int toPage, int toSlot) {
        MemorySegment.copy(
                slab(fromPage), slot(fromPage, fromSlot) + 8, slab(toPage), slot(toPage, toSlot) + 8, SLOT_BYTES - 8);
    }

    // ---- copies

    /** Marks, in its header, the copy of a page in which no key has a history or is a long one. */
    private static final int PLAIN = 1;

    private static final int PLAIN_AT = 12;

    /**
     * Copies a page, without the free space in it.
     *
     * @return whether no key has a history or is a long one; the copy says so too
     */
    boolean copyTo(int page, ByteBuffer target) {
        int start = target.position();
        copyBytes(page, target);
        boolean plain = isPlain(page);
        target.putInt(start + PLAIN_AT, plain ? PLAIN : 0);
        return plain;
    }

    private boolean isPlain(int page) {
        int count = count(page);
        for (int slot = 0; slot < count; slot++) {
            if (history(page, slot) != 0 || longKey(page, slot) >= 0) {
                return false;
            }
        }
        return true;
    }

    /** Whether a copied page, not read yet, has neither histories nor long keys. */
    static boolean isPlainCopy(ByteBuffer copies) {
        return copies.getInt(copies.position() + PLAIN_AT) == PLAIN;
    }

    private void copyBytes(int page, ByteBuffer target) {
        MemorySegment slab = slab(page);
        int slotsEnd = HEADER_BYTES + count(page) * SLOT_BYTES;
        int heap = u16(page, 6);
        target.put(slab.asSlice(base(page), slotsEnd).asByteBuffer());
        target.put(slab.asSlice(base(page) + heap, PAGE_BYTES - heap).asByteBuffer());
    }

    /** Whether a copied page has no slots. */
    static boolean isEmptyCopy(ByteBuffer copies, int position) {
        return copies.getShort(position) == 0;
    }

    /**
     * A new page with the content of a copied one; numbers of histories and long keys are those of the old one.
     *
     * @throws IllegalStateException if it is no such copy
     */
    int copyFrom(ByteBuffer source) {
        int slotsEnd = HEADER_BYTES + Short.toUnsignedInt(source.getShort(source.position())) * SLOT_BYTES;
        int heap = Short.toUnsignedInt(source.getShort(source.position() + 6));
        if (slotsEnd > heap || heap > PAGE_BYTES) {
            throw new IllegalStateException("not the copy of a page");
        }
        int page = allocate();
        if (page / PAGES_IN_SLAB != filledSlab) {
            filledSlab = page / PAGES_IN_SLAB;
            filled = slab(page).asByteBuffer();
        }
        int base = (int) base(page);
        int from = source.position();
        filled.put(base, source, from, slotsEnd);
        filled.put(base + heap, source, from + slotsEnd, PAGE_BYTES - heap);
        filled.putInt(base + PLAIN_AT, 0);
        source.position(from + slotsEnd + PAGE_BYTES - heap);
        return page;
    }

    /** Replaces the number of a slot's key in {@link LongKeys}. */
    void setLongKey(int page, int slot, int longKey) {
        MemorySegment slab = slab(page);
        int offset = Short.toUnsignedInt(slab.get(U16, slot(page, slot)));
        slab.set(ValueLayout.JAVA_INT_UNALIGNED, base(page) + offset, longKey);
    }

    // ---- keys

    /** A copy of the key of a slot. */
    byte[] key(int page, int slot) {
        MemorySegment slab = slab(page);
        long base = base(page);
        long at = slot(page, slot);
        int length = Short.toUnsignedInt(slab.get(U16, at + 2));
        int offset = Short.toUnsignedInt(slab.get(U16, at));
        if (length == LONG_KEY) {
            return longKeys.get(slab.get(ValueLayout.JAVA_INT_UNALIGNED, base + offset));
        }
        int prefix = Short.toUnsignedInt(slab.get(U16, base + 2));
        byte[] key = new byte[prefix + length];
        long prefixAt = base + Short.toUnsignedInt(slab.get(U16, base + 4));
        MemorySegment.copy(slab, ValueLayout.JAVA_BYTE, prefixAt, key, 0, prefix);
        int head = slab.get(I32, at + 4);
        for (int i = 0; i < Math.min(HEAD_BYTES, length); i++) {
            key[prefix + i] = (byte) (head >>> (24 - 8 * i));
        }
        if (length > HEAD_BYTES) {
            MemorySegment.copy(
                    slab, ValueLayout.JAVA_BYTE, base + offset, key, prefix + HEAD_BYTES, length - HEAD_BYTES);
        }
        return key;
    }

    /** The slot of a key, or {@code -1 - slot} of the first key behind it. */
    int find(int page, byte[] key) {
        MemorySegment slab = slab(page);
        long base = base(page);
        int count = Short.toUnsignedInt(slab.get(U16, base));
        int prefix = Short.toUnsignedInt(slab.get(U16, base + 2));
        if (prefix > 0) {
            int side = KeyBytes.comparePrefix(slab, base + Short.toUnsignedInt(slab.get(U16, base + 4)), prefix, key);
            if (side != 0) {
                return side < 0 ? -1 - count : -1;
            }
        }
        int head = KeyBytes.head(key, prefix);
        int low = 0;
        int high = count;
        while (low < high) {
            int middle = (low + high) >>> 1;
            long at = base + HEADER_BYTES + (long) middle * SLOT_BYTES;
            int order = Integer.compareUnsigned(slab.get(I32, at + 4), head);
            if (order == 0) {
                order = compareRest(slab, base, at, key, prefix);
            }
            if (order == 0) {
                return middle;
            }
            if (order < 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return -1 - low;
    }

    private int compareRest(MemorySegment slab, long base, long slotAt, byte[] key, int prefix) {
        int length = Short.toUnsignedInt(slab.get(U16, slotAt + 2));
        int offset = Short.toUnsignedInt(slab.get(U16, slotAt));
        if (length == LONG_KEY) {
            return Arrays.compareUnsigned(longKeys.get(slab.get(ValueLayout.JAVA_INT_UNALIGNED, base + offset)), key);
        }
        int keyLength = key.length - prefix;
        if (length > HEAD_BYTES && keyLength > HEAD_BYTES) {
            return KeyBytes.compare(slab, base + offset, length - HEAD_BYTES, key, prefix + HEAD_BYTES);
        }
        // The heads are equal, so the shorter key is the start of the longer one.
        return Integer.compare(length, keyLength);
    }

    // ---- changes of a page

    /** Begins to fill an empty page. */
    void setPrefix(int page, byte[] key, int length) {
        setU16(page, 2, length);
        setU16(page, 4, length == 0 ? 0 : store(page, key, 0, length));
    }

    /** Whether a key begins with the page's prefix. */
    boolean sharesPrefix(int page, byte[] key) {
        int prefix = prefixLength(page);
        return prefix == 0 || KeyBytes.comparePrefix(slab(page), base(page) + u16(page, 4), prefix, key) == 0;
    }

    /** Bytes of heap that a key with {@code prefix} bytes in common takes. */
    static int heapBytes(byte[] key, int prefix) {
        return key.length > MAX_INLINE_KEY ? Integer.BYTES : Math.max(0, key.length - prefix - HEAD_BYTES);
    }

    /** Whether a key that shares the prefix fits without rebuilding the page. */
    boolean hasRoom(int page, byte[] key) {
        int freeBytes = u16(page, 6) - HEADER_BYTES - count(page) * SLOT_BYTES;
        return freeBytes >= SLOT_BYTES + heapBytes(key, prefixLength(page));
    }

    /** Inserts a slot for a key, which fits; its payload is to be set then. */
    void insert(int page, int slot, byte[] key, int longKey) {
        MemorySegment slab = slab(page);
        int count = count(page);
        if (u16(page, 6) < HEADER_BYTES + (count + 1) * SLOT_BYTES) {
            throw new IllegalStateException("index page overflow");
        }
        long at = slot(page, slot);
        MemorySegment.copy(slab, at, slab, at + SLOT_BYTES, (long) (count - slot) * SLOT_BYTES);
        setU16(page, 0, count + 1);
        int prefix = prefixLength(page);
        int length = key.length - prefix;
        int offset = 0;
        if (longKey >= 0) {
            length = LONG_KEY;
            offset = reserve(page, Integer.BYTES);
            slab.set(ValueLayout.JAVA_INT_UNALIGNED, base(page) + offset, longKey);
        } else if (length > HEAD_BYTES) {
            offset = store(page, key, prefix + HEAD_BYTES, length - HEAD_BYTES);
        }
        slab.set(U16, at, (short) offset);
        slab.set(U16, at + 2, (short) length);
        slab.set(I32, at + 4, KeyBytes.head(key, prefix));
    }

    /** The number of a slot's key in {@link LongKeys}, -1 if the key lies in the page. */
    int longKey(int page, int slot) {
        long at = slot(page, slot);
        MemorySegment slab = slab(page);
        return Short.toUnsignedInt(slab.get(U16, at + 2)) == LONG_KEY
                ? slab.get(ValueLayout.JAVA_INT_UNALIGNED, base(page) + Short.toUnsignedInt(slab.get(U16, at)))
                : -1;
    }

    /** Removes a slot; what it referred to has been released. */
    void remove(int page, int slot) {
        MemorySegment slab = slab(page);
        int count = count(page);
        long at = slot(page, slot);
        int length = Short.toUnsignedInt(slab.get(U16, at + 2));
        int heap = length == LONG_KEY ? Integer.BYTES : Math.max(0, length - HEAD_BYTES);
        setU16(page, 8, u16(page, 8) + heap);
        MemorySegment.copy(slab, at + SLOT_BYTES, slab, at, (long) (count - slot - 1) * SLOT_BYTES);
        setU16(page, 0, count - 1);
    }

    private int store(int page, byte[] bytes, int from, int length) {
        int offset = reserve(page, length);
        MemorySegment.copy(bytes, from, slab(page), ValueLayout.JAVA_BYTE, base(page) + offset, length);
        return offset;
    }

    private int reserve(int page, int bytes) {
        int offset = u16(page, 6) - bytes;
        if (offset < HEADER_BYTES + count(page) * SLOT_BYTES) {
            throw new IllegalStateException("index page overflow");
        }
        setU16(page, 6, offset);
        return offset;
    }
}

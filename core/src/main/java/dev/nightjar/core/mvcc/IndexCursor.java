/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.mvcc;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Goes through the entries of an index in the order of the keys, while nobody changes it. One thread. */
final class IndexCursor {

    private final KeyIndex index;
    private final LeafPages pages;
    private final TreePath path = new TreePath();
    private int page;
    private int slot = -1;
    private boolean atEnd;

    IndexCursor(KeyIndex index) {
        this.index = index;
        this.pages = index.pages();
        this.page = path.descend(index.root(), new byte[0]);
    }

    /** An entry, copied: whatever the index knows of a key. */
    record Entry(byte[] key, long word, long place, long createRevision, int version, long[] history) {

        boolean sameAs(Entry other) {
            return Arrays.equals(key, other.key)
                    && word == other.word
                    && place == other.place
                    && createRevision == other.createRevision
                    && version == other.version
                    && Arrays.equals(history, other.history);
        }
    }

    /** The next entry, null behind the last. */
    @Nullable
    Entry next() {
        slot++;
        while (!atEnd && slot == pages.count(page)) {
            atEnd = !path.advance();
            if (!atEnd) {
                page = path.page();
                slot = 0;
            }
        }
        return atEnd ? null : entry();
    }

    private Entry entry() {
        int list = pages.history(page, slot);
        long[] history = new long[list == 0 ? 0 : 2 * index.history().count(list)];
        for (int i = 0; i < history.length / 2; i++) {
            history[2 * i] = index.history().word(list, i);
            history[2 * i + 1] = index.history().place(list, i);
        }
        return new Entry(
                pages.key(page, slot),
                pages.word(page, slot),
                pages.place(page, slot),
                pages.create(page, slot),
                pages.version(page, slot),
                history);
    }
}

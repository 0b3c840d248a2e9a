/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.mvcc;

import org.jspecify.annotations.Nullable;

/**
 * From key to its newest change and its history: a counted B+-tree. One thread at a time writes, holding the write lock
 * of {@link MvccStore}; readers hold its read lock.
 *
 * <p>An entry says of the newest change of a key: revision, whether it is a tombstone, create revision, version, and the
 * place of the record. Older changes that can still be read are in {@link KeyHistory}. A deleted key keeps its entry
 * until compaction but does not count.
 *
 * <pre>
 *   put k at 5, put k at 7, delete k at 9       entry k: 9 tombstone; history: 5, 7
 *   compacted to 7                              entry k: 9 tombstone; history: 7
 *   compacted to 9                              entry k: 9 tombstone    (a watch from 9 may still ask)
 *   compacted to 10                             gone
 * </pre>
 *
 * Inner nodes know how many existing keys each child holds, so the number of keys below any key is known after one
 * descent, and with it the exact count of any range.
 */
final class KeyIndex implements AutoCloseable {

    /** Version as kept in four bytes; this one means: too large, it is in the record. */
    static final int SATURATED_VERSION = -1;

    private final LeafPages pages = new LeafPages();
    private final LeafEditor editor = new LeafEditor(pages);
    private final KeyHistory history = new KeyHistory();
    private Node root = new Node(true);
    private long newWord;
    private long newPlace;

    // What the last write found and did.

    /** Change word and place of what the key had before, both 0 if the key did not exist. */
    long previousWord;

    long previousPlace;
    /** Create revision and version of the key now; the version is unsigned, or {@link #SATURATED_VERSION}. */
    long createRevision;

    int version;
    /** By how much the number of existing keys changed. */
    int liveDelta;

    KeyIndex() {
        root.pages[0] = pages.allocate();
        root.size = 1;
    }

    LeafPages pages() {
        return pages;
    }

    KeyHistory history() {
        return history;
    }

    LeafEditor editor() {
        return editor;
    }

    Node root() {
        return root;
    }

    void setRoot(Node newRoot) {
        root = newRoot;
    }

    @Override
    public void close() {
        pages.close();
    }

    // ---- writing

    /** Enters a put that follows on what the index holds. */
    void put(byte[] key, long word, long place) {
        createRevision = 0;
        version = 0;
        write(key, word, place);
    }

    /**
     * Enters a put whose create revision and version are known from its record. If the key has a newer change already,
     * as an image may, only the place is noted; so it is with {@link #delete}.
     */
    void restore(byte[] key, long word, long place, long knownCreateRevision, long knownVersion) {
        createRevision = knownCreateRevision;
        version = narrow(knownVersion);
        write(key, word, place);
    }

    /** Enters a tombstone. */
    void delete(byte[] key, long revision, long place) {
        createRevision = 0;
        version = 0;
        write(key, ChangeWord.tombstone(revision), place);
    }

    private void write(byte[] key, long word, long place) {
        newWord = word;
        newPlace = place;
        write(root, key, true);
        if (root.isOverfull()) {
            Node left = root;
            Node right = left.split();
            root = Node.above(left);
            root.insertNode(1, left.splitSeparator, right, right.total());
        }
    }

    private void write(Node node, byte[] key, boolean rightmost) {
        int child = node.childOf(key);
        boolean last = rightmost && child == node.size - 1;
        if (node.bottom) {
            int page = node.pages[child];
            writeToPage(page, key, last);
            int split = editor.splitPage;
            if (split == LeafEditor.NO_PAGE) {
                node.counts[child] += liveDelta;
            } else {
                node.counts[child] = pages.live(page);
                node.insertPage(child + 1, editor.separator, split, pages.live(split));
            }
            return;
        }
        Node below = node.nodes[child];
        write(below, key, last);
        if (below.isOverfull()) {
            Node right = below.split();
            node.counts[child] = below.total();
            node.insertNode(child + 1, below.splitSeparator, right, right.total());
        } else {
            node.counts[child] += liveDelta;
        }
    }

    private void writeToPage(int page, byte[] key, boolean rightmost) {
        int slot = pages.find(page, key);
        previousWord = 0;
        previousPlace = 0;
        editor.splitPage = LeafEditor.NO_PAGE;
        if (slot >= 0) {
            replace(page, slot);
            return;
        }
        editor.insert(page, -1 - slot, key, rightmost);
        pages.setHistory(editor.page, editor.slot, 0);
        setNewest(editor.page, editor.slot);
        liveDelta = ChangeWord.isTombstone(newWord) ? 0 : 1;
        pages.addLive(editor.page, liveDelta);
    }

    private void replace(int page, int slot) {
        long oldWord = pages.word(page, slot);
        long oldPlace = pages.place(page, slot);
        if (ChangeWord.revision(oldWord) > ChangeWord.revision(newWord)) {
            noteOlder(page, slot, ChangeWord.revision(newWord), newPlace);
            liveDelta = 0;
            return;
        }
        boolean existed = !ChangeWord.isTombstone(oldWord);
        boolean exists = !ChangeWord.isTombstone(newWord);
        if (existed) {
            previousWord = oldWord;
            previousPlace = oldPlace;
            if (exists && version == 0) {
                createRevision = pages.create(page, slot);
                int old = pages.version(page, slot);
                version = old == SATURATED_VERSION ? old : old + 1;
            }
        }
        // Of several changes in one transaction the last one is the state at that revision.
        if (ChangeWord.revision(oldWord) != ChangeWord.revision(newWord)) {
            pages.setHistory(page, slot, history.push(pages.history(page, slot), oldWord, oldPlace));
        }
        setNewest(page, slot);
        liveDelta = (exists ? 1 : 0) - (existed ? 1 : 0);
        pages.addLive(page, liveDelta);
    }

    private void setNewest(int page, int slot) {
        if (version == 0 && !ChangeWord.isTombstone(newWord)) {
            createRevision = ChangeWord.revision(newWord);
            version = 1;
        }
        pages.setWord(page, slot, newWord);
        pages.setPlace(page, slot, newPlace);
        pages.setCreate(page, slot, createRevision);
        pages.setVersion(page, slot, version);
    }

    private static int narrow(long version) {
        return version >= Integer.toUnsignedLong(SATURATED_VERSION) ? SATURATED_VERSION : (int) version;
    }

    // ---- reading

    /** The page that a key lies in if it is there. */
    private int pageOf(byte[] key) {
        Node node = root;
        while (!node.bottom) {
            node = node.nodes[node.childOf(key)];
        }
        return node.pages[node.childOf(key)];
    }

    /** Place of the record that a key has at a revision, 0 if it does not exist there. */
    long find(byte[] key, long revision) {
        int page = pageOf(key);
        int slot = pages.find(page, key);
        return slot < 0 ? 0 : visible(page, slot, revision);
    }

    /** Change word of the newest change of a key at or below a revision, a tombstone too; 0 if none is known. */
    long changeAt(byte[] key, long revision) {
        int page = pageOf(key);
        int slot = pages.find(page, key);
        if (slot < 0) {
            return 0;
        }
        long word = pages.word(page, slot);
        if (ChangeWord.revision(word) <= revision) {
            return word;
        }
        int list = pages.history(page, slot);
        int index = list == 0 ? -1 : history.floor(list, revision);
        return index < 0 ? 0 : history.word(list, index);
    }

    /** Place of the record that a slot's key has at a revision, 0 if it does not exist there. */
    long visible(int page, int slot, long revision) {
        long word = pages.word(page, slot);
        if (ChangeWord.revision(word) <= revision) {
            return ChangeWord.isTombstone(word) ? 0 : pages.place(page, slot);
        }
        int list = pages.history(page, slot);
        if (list == 0) {
            return 0;
        }
        int index = history.floor(list, revision);
        return index < 0 || ChangeWord.isTombstone(history.word(list, index)) ? 0 : history.place(list, index);
    }

    /** Number of a key's list in {@link #history}; 0 if it has none. */
    int historyOf(byte[] key) {
        int page = pageOf(key);
        int slot = pages.find(page, key);
        return slot < 0 ? 0 : pages.history(page, slot);
    }

    /** Notes the place of a change if it is known; false if it is not, or not any more. */
    boolean note(byte[] key, long revision, long place) {
        int page = pageOf(key);
        int slot = pages.find(page, key);
        if (slot < 0 || ChangeWord.revision(pages.word(page, slot)) < revision) {
            return false;
        }
        if (ChangeWord.revision(pages.word(page, slot)) == revision) {
            pages.setPlace(page, slot, place);
            return true;
        }
        return noteOlder(page, slot, revision, place);
    }

    private boolean noteOlder(int page, int slot, long revision, long place) {
        int list = pages.history(page, slot);
        int index = list == 0 ? -1 : history.floor(list, revision);
        if (index < 0 || ChangeWord.revision(history.word(list, index)) != revision) {
            return false;
        }
        history.setPlace(list, index, place);
        return true;
    }

    /** Whether a change is known, at this place. */
    boolean holds(byte[] key, long revision, long place) {
        return locate(key, revision, place, place);
    }

    /** Notes that the record of a change has moved; false if the change is not known at the old place. */
    boolean relocate(byte[] key, long revision, long oldPlace, long newPlace) {
        return locate(key, revision, oldPlace, newPlace);
    }

    private boolean locate(byte[] key, long revision, long oldPlace, long newPlace) {
        int page = pageOf(key);
        int slot = pages.find(page, key);
        if (slot < 0) {
            return false;
        }
        if (pages.place(page, slot) == oldPlace) {
            if (newPlace != oldPlace) {
                pages.setPlace(page, slot, newPlace);
            }
            return true;
        }
        int list = pages.history(page, slot);
        int index = list == 0 ? -1 : history.floor(list, revision);
        if (index < 0 || history.place(list, index) != oldPlace) {
            return false;
        }
        if (newPlace != oldPlace) {
            history.setPlace(list, index, newPlace);
        }
        return true;
    }

    /** Number of keys that exist now. */
    int count() {
        return root.total();
    }

    /** Number of keys from {@code from} to before {@code to} (null: to the end) that exist now. */
    int count(byte[] from, byte @Nullable [] to) {
        int end = to == null ? count() : rank(to);
        return Math.max(0, end - rank(from));
    }

    /** Number of existing keys before a key. */
    private int rank(byte[] key) {
        int rank = 0;
        Node node = root;
        while (!node.bottom) {
            int child = node.childOf(key);
            rank += node.sum(child);
            node = node.nodes[child];
        }
        int child = node.childOf(key);
        rank += node.sum(child);
        int page = node.pages[child];
        int slot = pages.find(page, key);
        int end = slot < 0 ? -1 - slot : slot;
        for (int i = 0; i < end; i++) {
            if (!ChangeWord.isTombstone(pages.word(page, i))) {
                rank++;
            }
        }
        return rank;
    }
}

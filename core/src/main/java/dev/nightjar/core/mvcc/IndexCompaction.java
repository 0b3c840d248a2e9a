/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.mvcc;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Makes the index forget what lies below a revision, one page at a time. For every key survive: the newest change at or
 * below the revision and all later ones; but a tombstone below it goes too. One thread; each step under the index's
 * write lock.
 */
final class IndexCompaction {

    /** A page with less in it is merged with its neighbour if both fit well into one. */
    private static final int MERGE_BYTES = LeafPages.PAGE_BYTES / 3;

    private static final byte[] FIRST = {};

    private final KeyIndex index;
    private final LeafPages pages;
    private final KeyHistory history;
    private final long revision;
    private byte @Nullable [] next = FIRST;
    private long[] dropped = new long[64];
    private int droppedCount;

    private final TreePath path = new TreePath();

    IndexCompaction(KeyIndex index, long revision) {
        this.index = index;
        this.pages = index.pages();
        this.history = index.history();
        this.revision = revision;
    }

    long revision() {
        return revision;
    }

    boolean isDone() {
        return next == null;
    }

    /** Places of the records that the last step dropped. */
    long[] dropped() {
        return Arrays.copyOf(dropped, droppedCount);
    }

    /** Treats one page. */
    void step() {
        byte[] from = next;
        droppedCount = 0;
        if (from == null) {
            return;
        }
        int page = path.descend(index.root(), from);
        next = path.upperBound();
        for (int slot = pages.count(page) - 1; slot >= 0; slot--) {
            if (trim(page, slot)) {
                int longKey = pages.longKey(page, slot);
                if (longKey >= 0) {
                    pages.longKeys().remove(longKey);
                }
                pages.remove(page, slot);
            }
        }
        shrink(page);
    }

    /** Drops what is superseded of one key and tells whether the whole entry goes. */
    private boolean trim(int page, int slot) {
        long word = pages.word(page, slot);
        int list = pages.history(page, slot);
        if (ChangeWord.revision(word) <= revision) {
            if (list != 0) {
                dropFirst(page, slot, history.count(list));
            }
            if (isForgotten(word)) {
                drop(pages.place(page, slot));
                return true;
            }
        } else if (list != 0) {
            int newest = history.floor(list, revision);
            if (newest >= 0) {
                dropFirst(page, slot, isForgotten(history.word(list, newest)) ? newest + 1 : newest);
            }
        }
        return false;
    }

    /** Whether the newest change at or below the revision is a tombstone that nobody can ask for. */
    private boolean isForgotten(long word) {
        return ChangeWord.isTombstone(word) && ChangeWord.revision(word) < revision;
    }

    private void dropFirst(int page, int slot, int count) {
        int list = pages.history(page, slot);
        for (int i = 0; i < count; i++) {
            drop(history.place(list, i));
        }
        pages.setHistory(page, slot, history.dropFirst(list, count));
    }

    private void drop(long place) {
        if (droppedCount == dropped.length) {
            dropped = Arrays.copyOf(dropped, 2 * droppedCount);
        }
        dropped[droppedCount++] = place;
    }

    // ---- the shape of the tree

    /** Removes the page if it is empty, merges it if it is small, and does the same with the nodes above. */
    private void shrink(int page) {
        int depth = path.depth();
        Node node = path.node(depth);
        int child = path.child(depth);
        if (pages.count(page) == 0) {
            if (node.size > 1 || depth > 0) {
                node.remove(child);
                pages.free(page);
            }
        } else if (pages.usedBytes(page) < MERGE_BYTES && child < node.size - 1) {
            int right = node.pages[child + 1];
            if (index.editor().merge(page, right)) {
                node.counts[child] += node.counts[child + 1];
                node.remove(child + 1);
                pages.free(right);
            }
        }
        for (int level = depth - 1; level >= 0; level--) {
            shrinkChild(path.node(level), path.child(level));
        }
        collapseRoot();
    }

    private static void shrinkChild(Node parent, int child) {
        Node node = parent.nodes[child];
        if (node.size == 0) {
            parent.remove(child);
        } else if (node.size < Node.MERGE_CHILDREN && child < parent.size - 1) {
            Node right = parent.nodes[child + 1];
            if (node.size + right.size <= Node.MAX_CHILDREN - Node.MERGE_CHILDREN) {
                node.append(parent.separatorAfter(child), right);
                parent.counts[child] += parent.counts[child + 1];
                parent.remove(child + 1);
            }
        }
    }

    private void collapseRoot() {
        Node root = index.root();
        while (!root.bottom && root.size == 1) {
            root = root.nodes[0];
        }
        if (root.size == 0) {
            root = new Node(true);
            root.pages[0] = pages.allocate();
            root.size = 1;
        }
        index.setRoot(root);
    }
}

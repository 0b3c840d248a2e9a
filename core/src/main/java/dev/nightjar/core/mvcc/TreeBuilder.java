/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.mvcc;

import java.util.ArrayList;
import java.util.List;

/** Builds the inner nodes of an index over pages that come in order. One thread, once, on an index that is empty. */
final class TreeBuilder {

    /** Children of a node: some room, so that the first inserts do not split everything. */
    private static final int CHILDREN = Node.MAX_CHILDREN * 3 / 4;

    /** Up to this length a key is taken as it is to part two pages: what a shorter one saves is not worth a look. */
    private static final int SHORT_KEY = 24;

    private final KeyIndex index;
    private final List<Integer> pages = new ArrayList<>();

    TreeBuilder(KeyIndex index) {
        this.index = index;
    }

    /** Adds a page that is not empty, to the right of those before. */
    void add(int page) {
        pages.add(page);
    }

    /** Number of the history of a key in one of the pages, 0 if there is none. */
    int historyOf(byte[] key) {
        LeafPages leaves = index.pages();
        int low = 0;
        int high = pages.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            int slot = leaves.find(pages.get(middle), key);
            if (slot >= 0) {
                return leaves.history(pages.get(middle), slot);
            }
            if (slot == -1) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return 0;
    }

    /** Puts the nodes above the pages. */
    void finish() {
        if (pages.isEmpty()) {
            return;
        }
        index.pages().free(index.root().pages[0]);
        List<Node> nodes = new ArrayList<>();
        List<byte[]> separators = new ArrayList<>();
        for (int from = 0; from < pages.size(); from += CHILDREN) {
            if (from > 0) {
                separators.add(separatorBefore(from));
            }
            nodes.add(bottom(from, Math.min(pages.size(), from + CHILDREN)));
        }
        while (nodes.size() > 1) {
            List<Node> above = new ArrayList<>();
            List<byte[]> separatorsAbove = new ArrayList<>();
            for (int from = 0; from < nodes.size(); from += CHILDREN) {
                if (from > 0) {
                    separatorsAbove.add(separators.get(from - 1));
                }
                int to = Math.min(nodes.size(), from + CHILDREN);
                above.add(Node.above(nodes.subList(from, to), separators.subList(from, to - 1)));
            }
            nodes = above;
            separators = separatorsAbove;
        }
        index.setRoot(nodes.getFirst());
    }

    private Node bottom(int from, int to) {
        Node node = new Node(true);
        List<byte[]> separators = new ArrayList<>();
        for (int i = from; i < to; i++) {
            int page = pages.get(i);
            node.pages[i - from] = page;
            node.counts[i - from] = index.pages().live(page);
            if (i > from) {
                separators.add(separatorBefore(i));
            }
        }
        node.complete(separators);
        return node;
    }

    /** Tells the keys of a page from those of the one before. */
    private byte[] separatorBefore(int at) {
        LeafPages leaves = index.pages();
        byte[] first = leaves.key(pages.get(at), 0);
        if (first.length <= SHORT_KEY) {
            return first;
        }
        int left = pages.get(at - 1);
        return LeafEditor.separator(leaves.key(left, leaves.count(left) - 1), first);
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.mvcc;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Builds the inner nodes of an index over pages that come in order. One thread, once, on an index that is empty. */
final class TreeBuilder {

    /** Children of a node: some room, so that the first inserts do not split everything. */
    private static final int CHILDREN = Node.MAX_CHILDREN * 3 / 4;

    /** Up to this length a key is taken as it is to part two pages: what a shorter one saves is not worth a look. */
    private static final int SHORT_KEY = 24;

    private final KeyIndex index;
    private final List<Integer> pages = new ArrayList<>();

    /** Keys that exist in each page. */
    private int[] counts = new int[CHILDREN];

    /** What parts each page from the next. */
    private final List<byte[]> separators = new ArrayList<>();

    TreeBuilder(KeyIndex index) {
        this.index = index;
    }

    /**
     * Adds a page that is not empty, to the right of those before. What there is to know of it is asked now, while the processor
     * has it at hand: to come back to thousands of pages later takes as long as to copy them.
     */
    void add(int page) {
        int at = pages.size();
        if (at > 0) {
            separators.add(separator(pages.get(at - 1), page));
        }
        if (at == counts.length) {
            counts = Arrays.copyOf(counts, 2 * at);
        }
        counts[at] = index.pages().live(page);
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
        List<byte[]> between = new ArrayList<>();
        for (int from = 0; from < pages.size(); from += CHILDREN) {
            if (from > 0) {
                between.add(separators.get(from - 1));
            }
            nodes.add(bottom(from, Math.min(pages.size(), from + CHILDREN)));
        }
        while (nodes.size() > 1) {
            List<Node> above = new ArrayList<>();
            List<byte[]> betweenAbove = new ArrayList<>();
            for (int from = 0; from < nodes.size(); from += CHILDREN) {
                if (from > 0) {
                    betweenAbove.add(between.get(from - 1));
                }
                int to = Math.min(nodes.size(), from + CHILDREN);
                above.add(Node.above(nodes.subList(from, to), between.subList(from, to - 1)));
            }
            nodes = above;
            between = betweenAbove;
        }
        index.setRoot(nodes.getFirst());
    }

    private Node bottom(int from, int to) {
        Node node = new Node(true);
        for (int i = from; i < to; i++) {
            node.pages[i - from] = pages.get(i);
            node.counts[i - from] = counts[i];
        }
        node.complete(separators.subList(from, to - 1));
        return node;
    }

    /** Tells the keys of a page from those of the one before. */
    private byte[] separator(int left, int right) {
        LeafPages leaves = index.pages();
        byte[] first = leaves.key(right, 0);
        return first.length <= SHORT_KEY
                ? first
                : LeafEditor.separator(leaves.key(left, leaves.count(left) - 1), first);
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.mvcc;

import java.util.Arrays;
import java.util.List;

/**
 * An inner node of the {@link KeyIndex}. Guarded by the index's lock.
 *
 * <pre>
 *   separators:         s0        s1        s2
 *   children:     c0    |    c1   |    c2   |    c3        child i holds keys k with s(i-1) <= k < s(i)
 *   counts:       n0         n1        n2        n3        keys below child i that exist now
 * </pre>
 *
 * {@code heads} holds eight bytes of each separator behind what they all have in common: a search stays in that array
 * until two heads are equal.
 */
final class Node {

    static final int MAX_CHILDREN = 128;
    /** A node with fewer children is merged with its neighbour if both fit well into one. */
    static final int MERGE_CHILDREN = MAX_CHILDREN / 4;

    /** How often the common prefix is looked for anew, because it may have grown. */
    private static final int REFRESH_CHILDREN = 16;

    /** Whether the children are pages, not nodes. */
    final boolean bottom;

    final int[] pages;
    final Node[] nodes;
    final int[] counts = new int[MAX_CHILDREN + 1];
    int size;

    private final byte[][] separators = new byte[MAX_CHILDREN][];
    private final long[] heads = new long[MAX_CHILDREN];
    private int prefix;

    private static final int[] NO_PAGES = {};
    private static final Node[] NO_NODES = {};

    Node(boolean bottom) {
        this.bottom = bottom;
        this.pages = bottom ? new int[MAX_CHILDREN + 1] : NO_PAGES;
        this.nodes = bottom ? NO_NODES : new Node[MAX_CHILDREN + 1];
    }

    /** A node with one child. */
    static Node above(Node child) {
        Node node = new Node(false);
        node.nodes[0] = child;
        node.counts[0] = child.total();
        node.size = 1;
        return node;
    }

    /** A node with some children. */
    static Node above(List<Node> children, List<byte[]> separators) {
        Node node = new Node(false);
        for (int i = 0; i < children.size(); i++) {
            node.nodes[i] = children.get(i);
            node.counts[i] = children.get(i).total();
        }
        node.complete(separators);
        return node;
    }

    /** Puts the separators between children that are there already, with their counts. */
    void complete(List<byte[]> between) {
        size = between.size() + 1;
        for (int i = 0; i < between.size(); i++) {
            separators[i] = between.get(i);
        }
        refreshHeads();
    }

    /** The child that holds a key. */
    int childOf(byte[] key) {
        int count = size - 1;
        if (count == 0) {
            return 0;
        }
        if (prefix > 0) {
            int mismatch = Arrays.mismatch(separators[0], 0, prefix, key, 0, Math.min(prefix, key.length));
            if (mismatch >= 0) {
                boolean below = mismatch == key.length || (key[mismatch] & 0xff) < (separators[0][mismatch] & 0xff);
                return below ? 0 : count;
            }
        }
        long head = KeyBytes.longHead(key, prefix);
        int low = 0;
        int high = count;
        while (low < high) {
            int middle = (low + high) >>> 1;
            int order = Long.compareUnsigned(heads[middle], head);
            if (order == 0) {
                order = Arrays.compareUnsigned(separators[middle], key);
            }
            if (order <= 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** The smallest key that lies to the right of a child. */
    byte[] separatorAfter(int child) {
        return separators[child];
    }

    int total() {
        return sum(size);
    }

    /** Keys below the first {@code children} children. */
    int sum(int children) {
        int sum = 0;
        for (int i = 0; i < children; i++) {
            sum += counts[i];
        }
        return sum;
    }

    boolean isOverfull() {
        return size > MAX_CHILDREN;
    }

    // ---- changes

    void insertPage(int at, byte[] separator, int page, int count) {
        insertSeparator(at, separator, count);
        System.arraycopy(pages, at, pages, at + 1, size - 1 - at);
        pages[at] = page;
    }

    void insertNode(int at, byte[] separator, Node node, int count) {
        insertSeparator(at, separator, count);
        System.arraycopy(nodes, at, nodes, at + 1, size - 1 - at);
        nodes[at] = node;
    }

    private void insertSeparator(int at, byte[] separator, int count) {
        int separatorAt = at - 1;
        int separatorCount = size - 1;
        System.arraycopy(separators, separatorAt, separators, at, separatorCount - separatorAt);
        System.arraycopy(heads, separatorAt, heads, at, separatorCount - separatorAt);
        System.arraycopy(counts, at, counts, at + 1, size - at);
        separators[separatorAt] = separator;
        counts[at] = count;
        size++;
        boolean refresh = size % REFRESH_CHILDREN == 0 || size < REFRESH_CHILDREN;
        if (!refresh && sharesPrefix(separator, separators[separatorAt == 0 ? 1 : 0])) {
            heads[separatorAt] = KeyBytes.longHead(separator, prefix);
        } else {
            refreshHeads();
        }
    }

    private boolean sharesPrefix(byte[] separator, byte[] other) {
        return separator.length >= prefix && Arrays.equals(separator, 0, prefix, other, 0, prefix);
    }

    private void refreshHeads() {
        int count = size - 1;
        prefix = count < 2 ? 0 : KeyBytes.commonPrefix(separators[0], separators[count - 1]);
        for (int i = 0; i < count; i++) {
            heads[i] = KeyBytes.longHead(separators[i], prefix);
        }
    }

    /** Removes a child and the separator beside it. */
    void remove(int child) {
        int separatorAt = Math.max(0, child - 1);
        int moved = size - 1 - child;
        if (size > 1) {
            System.arraycopy(separators, separatorAt + 1, separators, separatorAt, size - 2 - separatorAt);
            separators[size - 2] = NO_KEY;
        }
        System.arraycopy(counts, child + 1, counts, child, moved);
        if (bottom) {
            System.arraycopy(pages, child + 1, pages, child, moved);
        } else {
            System.arraycopy(nodes, child + 1, nodes, child, moved);
        }
        size--;
        refreshHeads();
    }

    private static final byte[] NO_KEY = {};

    /** Moves the right half into a new node; {@link #splitSeparator} then tells the two apart. */
    Node split() {
        int left = size / 2;
        Node right = new Node(bottom);
        right.size = size - left;
        System.arraycopy(separators, left, right.separators, 0, right.size - 1);
        System.arraycopy(counts, left, right.counts, 0, right.size);
        if (bottom) {
            System.arraycopy(pages, left, right.pages, 0, right.size);
        } else {
            System.arraycopy(nodes, left, right.nodes, 0, right.size);
            Arrays.fill(nodes, left, size, null);
        }
        splitSeparator = separators[left - 1];
        Arrays.fill(separators, left - 1, size - 1, NO_KEY);
        size = left;
        refreshHeads();
        right.refreshHeads();
        return right;
    }

    byte[] splitSeparator = NO_KEY;

    /** Takes over all children of the next node, from which {@code separator} parts this one. */
    void append(byte[] separator, Node right) {
        separators[size - 1] = separator;
        System.arraycopy(right.separators, 0, separators, size, right.size - 1);
        System.arraycopy(right.counts, 0, counts, size, right.size);
        if (bottom) {
            System.arraycopy(right.pages, 0, pages, size, right.size);
        } else {
            System.arraycopy(right.nodes, 0, nodes, size, right.size);
        }
        size += right.size;
        refreshHeads();
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.mvcc;

import org.jspecify.annotations.Nullable;

/** The way from the root of the {@link KeyIndex} to one page. One thread, under the index's lock. */
final class TreePath {

    private static final int MAX_HEIGHT = 8;

    private final Node[] nodes = new Node[MAX_HEIGHT];
    private final int[] children = new int[MAX_HEIGHT];
    private int depth;

    /** Goes to the page that holds a key or would hold it. */
    int descend(Node root, byte[] key) {
        depth = 0;
        Node node = root;
        while (true) {
            nodes[depth] = node;
            children[depth] = node.childOf(key);
            if (node.bottom) {
                return page();
            }
            node = node.nodes[children[depth]];
            depth++;
        }
    }

    /** Moves to the next page; false if there is none. */
    boolean advance() {
        int level = depth;
        while (level >= 0 && children[level] == nodes[level].size - 1) {
            level--;
        }
        if (level < 0) {
            return false;
        }
        children[level]++;
        while (level < depth) {
            nodes[level + 1] = nodes[level].nodes[children[level]];
            children[level + 1] = 0;
            level++;
        }
        return true;
    }

    /** The first key to the right of the page, null if the page is the last one. */
    byte @Nullable [] upperBound() {
        for (int level = depth; level >= 0; level--) {
            Node node = nodes[level];
            int child = children[level];
            if (child < node.size - 1) {
                return node.separatorAfter(child);
            }
        }
        return null;
    }

    int page() {
        return nodes[depth].pages[children[depth]];
    }

    /** Level of the node above the page; the root's is 0. */
    int depth() {
        return depth;
    }

    Node node(int level) {
        return nodes[level];
    }

    /** Which child of the node at a level the way takes. */
    int child(int level) {
        return children[level];
    }
}

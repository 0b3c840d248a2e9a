/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.watch;

import java.util.Arrays;
import java.util.function.Consumer;

/**
 * Path-compressed radix tree over the bytes of keys, for single keys and prefixes; owned by one thread.
 *
 * <p>An element below a node is either an inner node or, at the end of a path, the set itself, so that a key of its own
 * costs no node. An inner node stands for the first {@code depth} bytes of {@code path}, an array that it shares with
 * some set below it. It holds the set of exactly those bytes, the set of the prefix of exactly those bytes, and
 * elements ordered by their next byte. One descent along a key meets every set that wants it:
 *
 * <pre>
 *   watched: "pods/a", "pods/b", prefix "pods/", "nodes/x"
 *
 *   (root) ── n ── "nodes/x"
 *          └─ p ── (node "pods/", prefix set) ── a ── "pods/a"
 *                                             └─ b ── "pods/b"
 * </pre>
 *
 * <p>Every node but the root holds at least two of: set, prefix set, elements. Removal gives way to this rule by
 * putting the last element left in the place of its node.
 *
 * @param <M> who wants the keys
 */
final class WatcherTree<M extends RangeMember<M>> {
    private final RadixNode<M> root = new RadixNode<>(new byte[0], 0);

    /** Returns the set already there for this range, else enters and returns the given one. */
    RangeSet<M> insert(RangeSet<M> set) {
        RadixNode<M> node = root;
        while (set.key.length > node.depth) {
            int index = node.find(set.key[node.depth]);
            if (index < 0) {
                node.insertElement(index, set.key[node.depth], set);
                return set;
            }
            Object element = node.element(index);
            byte[] path = pathOf(element);
            int depth = depthOf(element);
            int common = common(set.key, path, node.depth, Math.min(depth, set.key.length));
            if (common == depth && element instanceof RadixNode<?>) {
                node = asNode(element);
                continue;
            }
            if (element instanceof RangeSet<?> && common == depth && common == set.key.length) {
                RangeSet<M> there = asSet(element);
                if (there.kind() == set.kind()) {
                    return there;
                }
            }
            RadixNode<M> split = new RadixNode<>(path, common);
            split.place(element, path, depth);
            node.replaceElement(index, split);
            split.place(set, set.key, set.key.length);
            return set;
        }
        RangeSet<M> there = node.setOf(set.kind());
        if (there != null) {
            return there;
        }
        node.setSetOf(set.kind(), set);
        return set;
    }

    /** Shows the sets that want the key. */
    void match(byte[] key, Consumer<RangeSet<M>> visitor) {
        RadixNode<M> node = root;
        while (key.length > node.depth) {
            int index = node.find(key[node.depth]);
            if (index < 0) {
                return;
            }
            Object element = node.element(index);
            if (element instanceof RangeSet<?>) {
                RangeSet<M> set = asSet(element);
                if (wants(set, key, node.depth)) {
                    visitor.accept(set);
                }
                return;
            }
            RadixNode<M> next = asNode(element);
            if (key.length < next.depth
                    || !Arrays.equals(key, node.depth, next.depth, next.path, node.depth, next.depth)) {
                return;
            }
            if (next.prefix != null) {
                visitor.accept(next.prefix);
            }
            node = next;
        }
        if (node.single != null) {
            visitor.accept(node.single);
        }
    }

    /** Takes out a set that is in the tree. */
    void remove(RangeSet<M> set) {
        RadixNode<M> parent = root;
        RadixNode<M> node = root;
        while (set.key.length > node.depth) {
            int index = node.find(set.key[node.depth]);
            if (index < 0) {
                throw new IllegalStateException("set is not in the tree");
            }
            Object element = node.element(index);
            if (element == set) {
                node.removeElement(index);
                collapse(parent, node);
                return;
            }
            if (!(element instanceof RadixNode<?>)) {
                throw new IllegalStateException("set is not in the tree");
            }
            parent = node;
            node = asNode(element);
        }
        if (node.setOf(set.kind()) != set) {
            throw new IllegalStateException("set is not in the tree");
        }
        node.setSetOf(set.kind(), null);
        collapse(parent, node);
    }

    boolean isEmpty() {
        return root.elementCount() == 0;
    }

    /** Restores the rule of two after something was taken out of the node. */
    private void collapse(RadixNode<M> parent, RadixNode<M> node) {
        if (node == root) {
            return;
        }
        Object last = node.onlyElement();
        if (last != null) {
            parent.replaceElement(parent.find(node.path[parent.depth]), last);
        }
    }

    /** Whether a set at the end of a path wants the key, of which the first {@code known} bytes are compared. */
    private static <M extends RangeMember<M>> boolean wants(RangeSet<M> set, byte[] key, int known) {
        int length = set.key.length;
        boolean fits = set.kind() == KeyRange.Kind.PREFIX ? key.length >= length : key.length == length;
        return fits && Arrays.equals(key, known, length, set.key, known, length);
    }

    private static int common(byte[] a, byte[] b, int from, int to) {
        int mismatch = Arrays.mismatch(a, from, to, b, from, to);
        return mismatch < 0 ? to : from + mismatch;
    }

    private static byte[] pathOf(Object element) {
        return element instanceof RadixNode<?> node ? node.path : ((RangeSet<?>) element).key;
    }

    private static int depthOf(Object element) {
        return element instanceof RadixNode<?> node ? node.depth : ((RangeSet<?>) element).key.length;
    }

    @SuppressWarnings("unchecked") // only nodes and sets of M are ever entered
    private RadixNode<M> asNode(Object element) {
        return (RadixNode<M>) element;
    }

    @SuppressWarnings("unchecked") // only nodes and sets of M are ever entered
    private RangeSet<M> asSet(Object element) {
        return (RangeSet<M>) element;
    }

    /** The number of inner nodes, for tests of the merging. */
    int nodeCount() {
        return root.countNodes();
    }
}

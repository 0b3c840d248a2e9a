/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.watch;

import java.util.Arrays;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Interval tree for ranges that are neither one key nor a prefix; owned by one thread. A treap ordered by (key, end)
 * in which each node knows the greatest end below it. Priorities come from a generator of its own, so the shape does
 * not depend on what clients send and is the same in every run.
 *
 * @param <M> who wants the ranges
 */
final class RangeTree<M extends RangeMember<M>> {
    private static final long FIRST_SEED = 0x9e37_79b9_7f4a_7c15L;

    private @Nullable Node<M> root;
    private long seed = FIRST_SEED;

    private static final class Node<M extends RangeMember<M>> {
        final RangeSet<M> set;
        final int priority;
        byte[] greatestEnd;

        @Nullable
        Node<M> left;

        @Nullable
        Node<M> right;

        Node(RangeSet<M> set, int priority) {
            this.set = set;
            this.priority = priority;
            greatestEnd = set.intervalEnd();
        }

        Node<M> update() {
            greatestEnd = set.intervalEnd();
            raise(left);
            raise(right);
            return this;
        }

        private void raise(@Nullable Node<M> child) {
            if (child != null && Arrays.compareUnsigned(child.greatestEnd, greatestEnd) > 0) {
                greatestEnd = child.greatestEnd;
            }
        }
    }

    /** Returns the set already there for this range, else enters and returns the given one. */
    RangeSet<M> insert(RangeSet<M> set) {
        Node<M> node = root;
        while (node != null) {
            int order = set.compareWithin(node.set);
            if (order == 0) {
                return node.set;
            }
            node = order < 0 ? node.left : node.right;
        }
        root = insert(root, new Node<>(set, nextPriority()));
        return set;
    }

    /** Takes out a set that is in the tree. */
    void remove(RangeSet<M> set) {
        root = remove(root, set);
    }

    /** Shows the sets that want the key. */
    void match(byte[] key, Consumer<RangeSet<M>> visitor) {
        if (root != null) {
            match(root, key, visitor);
        }
    }

    boolean isEmpty() {
        return root == null;
    }

    private static <M extends RangeMember<M>> Node<M> insert(@Nullable Node<M> node, Node<M> added) {
        if (node == null) {
            return added;
        }
        if (added.set.compareWithin(node.set) < 0) {
            Node<M> left = insert(node.left, added);
            node.left = left;
            return left.priority > node.priority ? rotateRight(node, left) : node.update();
        }
        Node<M> right = insert(node.right, added);
        node.right = right;
        return right.priority > node.priority ? rotateLeft(node, right) : node.update();
    }

    private static <M extends RangeMember<M>> @Nullable Node<M> remove(@Nullable Node<M> node, RangeSet<M> set) {
        if (node == null) {
            throw new IllegalStateException("set is not in the tree");
        }
        int order = set.compareWithin(node.set);
        if (order == 0) {
            return merge(node.left, node.right);
        }
        if (order < 0) {
            node.left = remove(node.left, set);
        } else {
            node.right = remove(node.right, set);
        }
        return node.update();
    }

    private static <M extends RangeMember<M>> @Nullable Node<M> merge(@Nullable Node<M> left, @Nullable Node<M> right) {
        if (left == null) {
            return right;
        }
        if (right == null) {
            return left;
        }
        if (left.priority > right.priority) {
            left.right = merge(left.right, right);
            return left.update();
        }
        right.left = merge(left, right.left);
        return right.update();
    }

    private static <M extends RangeMember<M>> void match(Node<M> node, byte[] key, Consumer<RangeSet<M>> visitor) {
        if (Arrays.compareUnsigned(node.greatestEnd, key) <= 0) {
            return;
        }
        if (node.left != null) {
            match(node.left, key, visitor);
        }
        if (Arrays.compareUnsigned(node.set.key, key) <= 0) {
            if (Arrays.compareUnsigned(key, node.set.intervalEnd()) < 0) {
                visitor.accept(node.set);
            }
            if (node.right != null) {
                match(node.right, key, visitor);
            }
        }
    }

    private static <M extends RangeMember<M>> Node<M> rotateRight(Node<M> node, Node<M> left) {
        node.left = left.right;
        node.update();
        left.right = node;
        return left.update();
    }

    private static <M extends RangeMember<M>> Node<M> rotateLeft(Node<M> node, Node<M> right) {
        node.right = right.left;
        node.update();
        right.left = node;
        return right.update();
    }

    private int nextPriority() {
        seed ^= seed << 13;
        seed ^= seed >>> 7;
        seed ^= seed << 17;
        return (int) (seed >>> 32);
    }
}

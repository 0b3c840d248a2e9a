/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.watch;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * One inner node of a {@link WatcherTree}; owned by the thread that owns the tree. Its arrays are exactly as long as
 * needed: there are few changes and many nodes.
 *
 * @param <M> who wants the keys
 */
final class RadixNode<M extends RangeMember<M>> {
    private static final byte[] NO_LABELS = {};
    private static final Object[] NO_ELEMENTS = {};

    /** Shared with a set below, or one that was below; only the first {@link #depth} bytes count. */
    final byte[] path;

    final int depth;

    @Nullable
    RangeSet<M> single;

    @Nullable
    RangeSet<M> prefix;

    private byte[] labels = NO_LABELS;
    private Object[] elements = NO_ELEMENTS;

    RadixNode(byte[] path, int depth) {
        this.path = path;
        this.depth = depth;
    }

    @Nullable
    RangeSet<M> setOf(KeyRange.Kind kind) {
        return kind == KeyRange.Kind.PREFIX ? prefix : single;
    }

    void setSetOf(KeyRange.Kind kind, @Nullable RangeSet<M> set) {
        if (kind == KeyRange.Kind.PREFIX) {
            prefix = set;
        } else {
            single = set;
        }
    }

    /** Position of the element that goes on with the byte, or {@code -insertionPoint - 1}. */
    int find(byte label) {
        int low = 0;
        int high = labels.length - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            int order = Byte.compareUnsigned(labels[middle], label);
            if (order == 0) {
                return middle;
            }
            if (order < 0) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return -low - 1;
    }

    Object element(int index) {
        return elements[index];
    }

    int elementCount() {
        return elements.length;
    }

    void insertElement(int missing, byte label, Object element) {
        int at = -missing - 1;
        byte[] newLabels = new byte[labels.length + 1];
        Object[] newElements = new Object[elements.length + 1];
        System.arraycopy(labels, 0, newLabels, 0, at);
        System.arraycopy(elements, 0, newElements, 0, at);
        newLabels[at] = label;
        newElements[at] = element;
        System.arraycopy(labels, at, newLabels, at + 1, labels.length - at);
        System.arraycopy(elements, at, newElements, at + 1, elements.length - at);
        labels = newLabels;
        elements = newElements;
    }

    void replaceElement(int index, Object element) {
        elements[index] = element;
    }

    void removeElement(int index) {
        byte[] newLabels = Arrays.copyOf(labels, labels.length - 1);
        Object[] newElements = Arrays.copyOf(elements, elements.length - 1);
        System.arraycopy(labels, index + 1, newLabels, index, newLabels.length - index);
        System.arraycopy(elements, index + 1, newElements, index, newElements.length - index);
        labels = newLabels;
        elements = newElements;
    }

    /** Puts a node or set that belongs below this node where it belongs. */
    @SuppressWarnings("unchecked") // only sets of M are ever entered
    void place(Object element, byte[] elementPath, int elementDepth) {
        if (elementDepth > depth) {
            byte label = elementPath[depth];
            insertElement(find(label), label, element);
        } else {
            RangeSet<M> set = (RangeSet<M>) element;
            setSetOf(set.kind(), set);
        }
    }

    /** What is left when only one thing is left, else null. */
    @Nullable
    Object onlyElement() {
        int count = elements.length + (single == null ? 0 : 1) + (prefix == null ? 0 : 1);
        if (count != 1) {
            return null;
        }
        if (single != null) {
            return single;
        }
        return prefix != null ? prefix : elements[0];
    }

    int countNodes() {
        int count = 1;
        for (Object element : elements) {
            if (element instanceof RadixNode<?> node) {
                count += node.countNodes();
            }
        }
        return count;
    }
}

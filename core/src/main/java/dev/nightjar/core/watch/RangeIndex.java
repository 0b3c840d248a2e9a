/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.watch;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;

/**
 * Finds the sets whose range holds a key; owned by one thread. Single keys and prefixes, nearly all there is in
 * practice, live in a radix tree; other intervals in an interval tree; ranges without end in a list ordered by key.
 *
 * @param <M> who wants the ranges
 */
final class RangeIndex<M extends RangeMember<M>> {
    private final WatcherTree<M> tree = new WatcherTree<>();
    private final RangeTree<M> intervals = new RangeTree<>();
    private final List<RangeSet<M>> open = new ArrayList<>();
    private int size;

    /** Members, not distinct ranges. */
    int size() {
        return size;
    }

    /** Enters a member that is in no index, under the range of its set. */
    void add(M member) {
        canonical(member.set).link(member);
        size++;
    }

    /** Takes a member out; its set keeps telling its range. */
    void remove(M member) {
        RangeSet<M> set = member.set;
        set.unlink(member);
        size--;
        if (set.first == null) {
            switch (set.kind()) {
                case SINGLE, PREFIX -> tree.remove(set);
                case INTERVAL -> intervals.remove(set);
                case OPEN -> open.remove(openPosition(set));
            }
        }
    }

    /** Shows every set whose range holds the key, in no particular order. */
    void match(byte[] key, Consumer<RangeSet<M>> visitor) {
        tree.match(key, visitor);
        intervals.match(key, visitor);
        for (RangeSet<M> set : open) {
            if (Arrays.compareUnsigned(set.key, key) > 0) {
                break;
            }
            visitor.accept(set);
        }
    }

    /** Whether nothing is left of what was entered. */
    boolean isBare() {
        return tree.isEmpty() && intervals.isEmpty() && open.isEmpty();
    }

    private RangeSet<M> canonical(RangeSet<M> set) {
        return switch (set.kind()) {
            case SINGLE, PREFIX -> tree.insert(set);
            case INTERVAL -> intervals.insert(set);
            case OPEN -> {
                int position = openPosition(set);
                if (position >= 0) {
                    yield open.get(position);
                }
                open.add(-position - 1, set);
                yield set;
            }
        };
    }

    private int openPosition(RangeSet<M> set) {
        return Collections.binarySearch(open, set, KeyRange::compareWithin);
    }
}

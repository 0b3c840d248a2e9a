/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.watch;

import dev.nightjar.core.mvcc.Change;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the ranges of one turn or scan have found; owned by one thread at a time.
 *
 * <p>Whole revisions are found, but what one revision may hold is limited, as it can be a delete of millions of keys. A
 * range that has more of it than a response may hold lets go of it: its response will be made as it is sent. When all
 * together hold too much, those that find more let go of it as well and look again later, all but the first, so that
 * every pass gets on:
 *
 * <pre>
 *   revision 7 deletes a1, a2, a3, b1, b2, c1; a response holds 2 of them at most, all together hold 2
 *   range "a"  a1, a2, let go at a3: cut at 7, long
 *   range "b"  b1, b2: the first now
 *   range "c"  let go at c1: cut at 7, to be read once more
 * </pre>
 */
final class Gathering<M extends RangeMember<M>> {
    private final WatchLimits.Revision limits;
    private final List<RangeSet<M>> touched = new ArrayList<>();
    private long revision;
    private long heldBytes;
    private @Nullable Matches first;

    Gathering(WatchLimits.Revision limits) {
        this.limits = limits;
    }

    /** Adds a change to what a range has found; returns whether it is held. */
    boolean add(RangeSet<M> set, Change change) {
        if (change.revision() < set.wantedFrom) {
            return false; // or it could be the first, while those are cut that want the revision
        }
        if (change.revision() != revision) {
            revision = change.revision();
            heldBytes = 0;
            first = null;
        }
        Matches matches = set.matches;
        if (matches == null) {
            matches = new Matches();
            set.matches = matches;
            touched.add(set);
        }
        if (matches.cutRevision() != 0) {
            return false;
        }
        matches.add(change);
        heldBytes += change.chargedBytes();
        if (first == null) {
            first = matches;
        }
        boolean isLong = matches.revisionBytes() > limits.responseBytes();
        if (isLong || (heldBytes > limits.heldBytes() && matches != first)) {
            heldBytes -= matches.cut(isLong);
            first = first == matches ? null : first;
            return false;
        }
        return true;
    }

    /** Forgets the revision that was not read as a whole, and all above. */
    void truncate(long end) {
        for (RangeSet<M> set : touched) {
            if (set.matches != null) {
                set.matches.truncate(end);
            }
        }
    }

    List<RangeSet<M>> touched() {
        return touched;
    }

    /** Forgets all. */
    void clear() {
        touched.forEach(set -> set.matches = null);
        touched.clear();
        revision = 0;
        first = null;
    }
}

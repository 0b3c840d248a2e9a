/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.watch;

import org.jspecify.annotations.Nullable;

/**
 * All members of one distinct range; owned by the thread that owns its index. Events are collected once for the set,
 * not for each member: a thousand watchers of one key share one list.
 *
 * @param <M> who wants the range
 */
final class RangeSet<M extends RangeMember<M>> extends KeyRange {
    @Nullable
    M first;

    /** Changes of the range found in this turn, null while there is none. */
    @Nullable
    Matches matches;

    /** No member wants a change below this revision. */
    long wantedFrom;

    RangeSet(KeyRange range) {
        super(range);
    }

    void link(M member) {
        member.set = this;
        member.previousInSet = null;
        member.nextInSet = first;
        if (first != null) {
            first.previousInSet = member;
        }
        first = member;
    }

    void unlink(M member) {
        if (member.previousInSet != null) {
            member.previousInSet.nextInSet = member.nextInSet;
        } else {
            first = member.nextInSet;
        }
        if (member.nextInSet != null) {
            member.nextInSet.previousInSet = member.previousInSet;
        }
        member.nextInSet = null;
        member.previousInSet = null;
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.watch;

import org.jspecify.annotations.Nullable;

/**
 * A link in the list of one {@link RangeSet}; owned by the thread that owns the set. The list runs through its members
 * so that a member costs two references and leaves in constant time.
 *
 * @param <M> the member itself
 */
abstract class RangeMember<M extends RangeMember<M>> {
    /** The set of this member's range; it may be out of the index while the member is in no list. */
    RangeSet<M> set;

    @Nullable
    M nextInSet;

    @Nullable
    M previousInSet;

    RangeMember(RangeSet<M> set) {
        this.set = set;
    }
}

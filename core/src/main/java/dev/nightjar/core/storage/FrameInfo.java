/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.storage;

import org.jspecify.annotations.Nullable;

/**
 * What a frame says about the state after it.
 *
 * @param appliedIndex log index of the newest command in it or before it
 * @param appliedTerm log term of that command
 * @param revision newest main revision in it or before it
 * @param compactedRevision newest accepted compaction, -1 if none
 */
public record FrameInfo(long appliedIndex, long appliedTerm, long revision, long compactedRevision) {

    /** The state before the first frame. */
    public static final FrameInfo FRESH = new FrameInfo(0, 0, 1, -1);

    // Written out, as every start asks for it once: what a record has by itself is then made first.

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof FrameInfo info
                && info.appliedIndex == appliedIndex
                && info.appliedTerm == appliedTerm
                && info.revision == revision
                && info.compactedRevision == compactedRevision;
    }

    @Override
    public int hashCode() {
        return Long.hashCode(appliedIndex);
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.mvcc;

import org.jspecify.annotations.Nullable;

/** The history of the store as the watch engine reads it. All methods may be called from any thread. */
public interface ChangeSource {

    /** Every change at or below it is readable; never goes down. */
    long publishedRevision();

    /** The argument of the last accepted compaction, -1 if there was none. */
    long compactedRevision();

    /**
     * Shows the changes with {@code fromRevision <= revision <= toRevision} in order of revision and, within one, of
     * execution. Takes no lock that a write needs.
     *
     * @param toRevision not above the published revision
     * @return the first revision not shown completely: {@code toRevision + 1} if all were shown, else that of the
     *     change at which the visitor stopped; {@code -1} if history at {@code fromRevision} is gone (compacted)
     */
    long scan(long fromRevision, long toRevision, Visitor visitor);

    /**
     * The encoded KeyValue that the change replaced; null if it created the key or that record is gone. Of a change above
     * the compacted revision it is always there; of one at or below as long as it is on disk, which is at least until its
     * segment is packed.
     */
    byte @Nullable [] previous(Change change);

    /** Length of what {@link #previous} would return, without reading it; -1 for null. */
    int previousLength(Change change);

    /** The changes of one published revision, for a reader that may pause; null if it is gone (compacted). */
    @Nullable
    RevisionChanges revision(long revision);

    /** Sees one change after the other. */
    @FunctionalInterface
    interface Visitor {
        /** Returns false to stop before this change: it counts as not shown. */
        boolean visit(Change change);
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.watch;

import dev.nightjar.core.mvcc.Change;
import dev.nightjar.core.mvcc.RevisionChanges;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The changes of a revision from a list. */
final class ListedChanges implements RevisionChanges {
    private final List<Change> changes;
    private final Before before;
    private int at;

    /** What a change replaced. */
    @FunctionalInterface
    interface Before {
        byte @Nullable [] of(Change change);
    }

    ListedChanges(List<Change> changes, Before before) {
        this.changes = changes;
        this.before = before;
    }

    @Override
    public @Nullable Change next() {
        return at == changes.size() ? null : changes.get(at++);
    }

    @Override
    public void restart() {
        at = 0;
    }

    @Override
    public int previousLength(Change change) {
        byte[] previous = before.of(change);
        return previous == null ? -1 : previous.length;
    }

    @Override
    public byte @Nullable [] previous(Change change) {
        return before.of(change);
    }
}

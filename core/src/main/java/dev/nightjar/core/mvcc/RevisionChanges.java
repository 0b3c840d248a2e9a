/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.mvcc;

import org.jspecify.annotations.Nullable;

/**
 * The changes of one revision in order of execution, one after the other, as they were when this was made, whatever is
 * compacted meanwhile. For one thread at a time, which may pause anywhere.
 */
public interface RevisionChanges {
    /** The next change, null at the end. */
    @Nullable
    Change next();

    /** Begins with the first change again. */
    void restart();

    /** Length of what {@link ChangeSource#previous} would return, without reading it; -1 for null. */
    int previousLength(Change change);

    /** See {@link ChangeSource#previous}; of the change that came last. */
    byte @Nullable [] previous(Change change);
}

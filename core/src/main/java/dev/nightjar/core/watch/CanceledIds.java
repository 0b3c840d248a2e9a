/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.watch;

import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Ids of watchers that compaction ended, until the client cancels them itself, as clients do and expect an answer to;
 * owned by the loop of the stream. When there are too many, the oldest is forgotten.
 */
final class CanceledIds {
    private final int limit;
    private @Nullable Set<Long> ids;

    CanceledIds(int limit) {
        this.limit = limit;
    }

    void add(long id) {
        if (ids == null) {
            ids = new LinkedHashSet<>();
        }
        ids.add(id);
        if (ids.size() > limit) {
            ids.remove(ids.iterator().next());
        }
    }

    /** Returns whether the id was there. */
    boolean remove(long id) {
        return ids != null && ids.remove(id);
    }

    boolean contains(long id) {
        return ids != null && ids.contains(id);
    }
}

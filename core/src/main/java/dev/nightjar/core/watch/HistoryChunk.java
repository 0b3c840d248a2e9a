/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.watch;

import dev.nightjar.core.mvcc.Change;
import dev.nightjar.core.mvcc.ChangeSource;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A bounded piece of history for a shard that has fallen behind the recent one; made on the loop, filled once by a
 * history reader, then handed back.
 */
final class HistoryChunk {
    private final long from;
    private final long to;
    private final WatchLimits.Turn limits;
    private final List<Change> changes = new ArrayList<>();
    private long bytes;
    private long end;
    private @Nullable Throwable failure;

    HistoryChunk(long from, long to, WatchLimits.Turn limits) {
        this.from = from;
        this.to = to;
        this.limits = limits;
        end = from;
    }

    void read(ChangeSource source) {
        try {
            end = source.scan(from, to, this::visit);
        } catch (RuntimeException | Error e) {
            failure = e;
            return;
        }
        if (end <= from && source.compactedRevision() <= from) {
            failure = new IllegalStateException("history of revision " + from + " is missing");
        } else if (source.compactedRevision() > from) {
            // Compaction may have taken changes away under the scan.
            end = EventHistory.GONE;
        }
        changes.removeIf(change -> change.revision() >= end);
    }

    private boolean visit(Change change) {
        boolean newRevision = changes.isEmpty() || changes.getLast().revision() != change.revision();
        if (newRevision && (changes.size() >= limits.changes() || bytes >= limits.bytes())) {
            return false;
        }
        changes.add(change);
        bytes += change.keyValue().length;
        return true;
    }

    long from() {
        return from;
    }

    /** First revision that is not in the chunk. */
    long end() {
        return end;
    }

    /** Compacted before or while it was read. */
    boolean isGone() {
        return end == EventHistory.GONE;
    }

    List<Change> changes() {
        return changes;
    }

    @Nullable
    Throwable failure() {
        return failure;
    }
}

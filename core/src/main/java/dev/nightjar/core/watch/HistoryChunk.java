/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.watch;

import dev.nightjar.core.mvcc.Change;
import dev.nightjar.core.mvcc.ChangeSource;
import dev.nightjar.core.mvcc.RevisionChanges;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A bounded piece of history for a shard that has fallen behind the recent one; made on the loop, filled by a history
 * reader, then handed back. A revision that is too large to be held comes alone and in parts: as long as the chunk is
 * partial it is to be read again.
 */
final class HistoryChunk {
    private final long from;
    private final long to;
    private final WatchLimits.Turn limits;
    private final WatchLimits.Revision revisionLimits;
    private final List<Change> changes = new ArrayList<>();
    private long bytes;
    private long revisionBytes;
    private int revisionChanges;
    private boolean tooLarge;
    private boolean partial;
    private @Nullable RevisionChanges inside;
    private long end;
    private @Nullable Throwable failure;

    HistoryChunk(long from, long to, WatchLimits.Turn limits, WatchLimits.Revision revisionLimits) {
        this.from = from;
        this.to = to;
        this.limits = limits;
        this.revisionLimits = revisionLimits;
        end = from;
    }

    void read(ChangeSource source) {
        try {
            if (inside == null) {
                scan(source);
            }
            if (tooLarge && end == from) {
                readPart(source);
            }
        } catch (RuntimeException | Error e) {
            failure = e;
            partial = false;
        }
    }

    private void scan(ChangeSource source) {
        end = source.scan(from, to, this::visit);
        if (tooLarge && end == from) {
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
        revisionBytes = (newRevision ? 0 : revisionBytes) + change.chargedBytes();
        revisionChanges = (newRevision ? 0 : revisionChanges) + 1;
        if (revisionBytes > revisionLimits.heldBytes() || revisionChanges > revisionLimits.stepChanges()) {
            tooLarge = true;
            return false;
        }
        changes.add(change);
        bytes += change.keyValue().length;
        return true;
    }

    private void readPart(ChangeSource source) {
        changes.clear();
        RevisionChanges reader = inside == null ? source.revision(from) : inside;
        inside = reader;
        partial = false;
        if (reader == null) {
            end = EventHistory.GONE;
            return;
        }
        long held = 0;
        while (changes.size() < revisionLimits.stepChanges() && held < revisionLimits.heldBytes()) {
            Change change = reader.next();
            if (change == null) {
                end = from + 1;
                return;
            }
            changes.add(change);
            held += change.chargedBytes();
        }
        partial = true;
    }

    /** Whether the revision goes on: then the chunk is to be read again. */
    boolean isPartial() {
        return partial;
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

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
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The response of one watcher to one revision that is too long to be in memory: made part by part. Handed to and fro
 * between the loop and a history reader, of whom only one has it at a time.
 *
 * <p>The revision is read twice. A message begins with its length, so the first time is for measuring; a watcher that
 * allows fragments gets several messages and needs none of that.
 */
final class LongResponse {
    private final Watcher watcher;
    private final KeyRange range;
    private final long revision;
    private final int options;
    private final boolean bare;
    private final ChangeSource source;
    private final WatchLimits.Revision limits;
    private @Nullable RevisionChanges changes;
    private boolean measured;
    private long eventBytes;
    private long readBytes;
    private @Nullable Change ahead;
    private List<Change> gathered = new ArrayList<>();
    private List<byte @Nullable []> gatheredPrevious = new ArrayList<>();
    private long gatheredBytes;
    private @Nullable EventBatch part;
    private boolean begun;
    private boolean done;
    private boolean gone;
    private @Nullable Throwable failure;

    /** For the watcher's next revision; on its loop. */
    LongResponse(Watcher watcher, ChangeSource source, WatchLimits.Revision limits) {
        this.watcher = watcher;
        this.source = source;
        this.limits = limits;
        range = watcher.set;
        revision = watcher.nextRevision();
        options = watcher.options();
        bare = watcher.bareRevision() == revision;
        measured = watcher.has(Watcher.FRAGMENT);
    }

    Watcher watcher() {
        return watcher;
    }

    long revision() {
        return revision;
    }

    /** Whether parts can be read. */
    boolean isMeasured() {
        return measured;
    }

    /** Size of all events, 0 if it is not known because they come in fragments. */
    long eventBytes() {
        return eventBytes;
    }

    /** Whether a part has been taken. */
    boolean hasBegun() {
        return begun;
    }

    /** Whether there is nothing to read any more. */
    boolean isDone() {
        return done;
    }

    /** The revision was compacted before it was begun. */
    boolean isGone() {
        return gone;
    }

    @Nullable
    Throwable failure() {
        return failure;
    }

    boolean hasPart() {
        return part != null;
    }

    EventBatch takePart() {
        EventBatch taken = Objects.requireNonNull(part);
        part = null;
        begun = true;
        return taken;
    }

    /** Reads a bounded piece, which may bring a part; on a history reader. */
    void read() {
        try {
            RevisionChanges reader = changes == null ? source.revision(revision) : changes;
            changes = reader;
            if (reader == null) {
                gone = true;
            } else if (measured) {
                gather(reader);
            } else {
                measure(reader);
            }
        } catch (RuntimeException | Error e) {
            failure = e;
        }
    }

    private void measure(RevisionChanges reader) {
        for (int i = 0; i < limits.stepChanges(); i++) {
            Change change = reader.next();
            if (change == null) {
                measured = true;
                done = eventBytes == 0;
                reader.restart();
                return;
            }
            if (isWanted(change)) {
                int before = withPrevious() ? reader.previousLength(change) : -1;
                eventBytes += ResponseSize.event(change.delete(), change.keyValue().length, before);
            }
        }
    }

    private void gather(RevisionChanges reader) {
        for (int i = 0; i < limits.stepChanges(); i++) {
            Change change = ahead == null ? reader.next() : ahead;
            ahead = null;
            if (change == null) {
                end();
                return;
            }
            if (isWanted(change)) {
                if (gatheredBytes >= limits.partBytes()) {
                    ahead = change; // its previous value is read when the next part is made, which may never be
                    makePart();
                    return;
                }
                add(change, withPrevious() ? reader.previous(change) : null);
            }
        }
    }

    private void add(Change change, byte @Nullable [] previous) {
        gathered.add(change);
        gatheredPrevious.add(previous);
        gatheredBytes +=
                ResponseSize.event(change.delete(), change.keyValue().length, previous == null ? -1 : previous.length);
    }

    private void end() {
        done = true;
        if (!gathered.isEmpty()) {
            makePart();
        }
        if (eventBytes != 0 && readBytes != eventBytes) {
            // A previous value was compacted in between: the length that the client was told is not right any more.
            throw new IllegalStateException("revision " + revision + " is being compacted");
        }
    }

    private void makePart() {
        byte @Nullable [] @Nullable [] previous = withPrevious() ? gatheredPrevious.toArray(new byte[0][]) : null;
        part = new EventBatch(gathered.toArray(new Change[0]), previous, 0, gathered.size());
        readBytes += gatheredBytes;
        gathered = new ArrayList<>();
        gatheredPrevious = new ArrayList<>();
        gatheredBytes = 0;
    }

    private boolean withPrevious() {
        return (options & Watcher.PREVIOUS) != 0 && !bare;
    }

    private boolean isWanted(Change change) {
        return Matches.wanted(change, options) && range.contains(change.key());
    }
}

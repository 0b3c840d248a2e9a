/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.watch;

import dev.nightjar.core.mvcc.Change;
import dev.nightjar.core.mvcc.ChangeSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The changes of one range found in one turn or scan; owned by one thread at a time. A batch is made once for each
 * combination of options and shared by all watchers of the range.
 */
final class Matches {
    /** Batches kept for the next watcher of the range: with the size of a response, what a turn may hold on to. */
    static final int SHARED_BATCHES = 16;

    private static final int FIRST_CAPACITY = 4;

    private Change[] changes = new Change[FIRST_CAPACITY];
    private int size;
    private long revision;
    private long revisionBytes;
    private long cutRevision;
    private boolean isLong;
    private @Nullable List<Shared> shared;

    private record Shared(int from, int variant, @Nullable EventBatch batch) {}

    void add(Change change) {
        if (size == changes.length) {
            changes = Arrays.copyOf(changes, size * 2);
        }
        changes[size++] = change;
        if (change.revision() != revision) {
            revision = change.revision();
            revisionBytes = 0;
        }
        revisionBytes += change.chargedBytes();
    }

    /** What the changes of the newest revision are charged. */
    long revisionBytes() {
        return revisionBytes;
    }

    /**
     * Lets go of the newest revision; nothing is to be added any more.
     *
     * @param tooLong whether it is too much for one response that is in memory as a whole
     * @return what it was charged
     */
    long cut(boolean tooLong) {
        long bytes = revisionBytes;
        truncate(revision);
        cutRevision = revision;
        isLong = tooLong;
        return bytes;
    }

    /** From this revision on nothing is here, although there is something; 0 if all is here. */
    long cutRevision() {
        return cutRevision;
    }

    /** Whether the response of the {@link #cutRevision} is to be made while it is sent. */
    boolean isLong() {
        return isLong;
    }

    /** Forgets the changes at or above the revision, as it was not read as a whole. */
    void truncate(long end) {
        int kept = firstAtOrAbove(end);
        Arrays.fill(changes, kept, size, null);
        size = kept;
        if (cutRevision >= end) {
            cutRevision = 0;
            isLong = false;
        }
    }

    int size() {
        return size;
    }

    long revision(int index) {
        return changes[index].revision();
    }

    /** Index of the first change at or above the revision; the size if there is none. */
    int firstAtOrAbove(long revision) {
        if (size == 0 || changes[0].revision() >= revision) {
            return 0;
        }
        int low = 1;
        int high = size;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (changes[middle].revision() < revision) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** Index of the first change, from one on, that passes the filters; the size if there is none. */
    int firstWanted(int from, int options) {
        int index = from;
        while (index < size && !wanted(changes[index], options)) {
            index++;
        }
        return index;
    }

    /**
     * The longest run of whole revisions from an index on that stays within a limit, or the first revision alone; null if
     * that is too long to be in memory with its previous values.
     *
     * @param from index of a change that passes the filters, the first of its revision to do so
     * @param options of the watcher
     * @param bareRevision a revision whose events get no previous value, 0 for none
     */
    @Nullable
    EventBatch batch(int from, int options, long bareRevision, Source source) {
        if (bareRevision != 0) {
            return build(from, options, bareRevision, source);
        }
        int variant = options & Watcher.CONTENT_OPTIONS;
        if (shared == null) {
            shared = new ArrayList<>(1);
        }
        for (Shared each : shared) {
            if (each.from() == from && each.variant() == variant) {
                return each.batch();
            }
        }
        EventBatch batch = build(from, options, 0, source);
        if (shared.size() < SHARED_BATCHES) {
            shared.add(new Shared(from, variant, batch));
        }
        return batch;
    }

    private @Nullable EventBatch build(int from, int options, long bareRevision, Source source) {
        boolean withPrevious = (options & Watcher.PREVIOUS) != 0;
        Change[] chosen = new Change[size - from];
        byte @Nullable [] @Nullable [] previous = withPrevious ? new byte[size - from][] : null;
        int count = 0;
        int whole = 0;
        long bytes = 0;
        long revisionAt = 0;
        for (int i = from; i < size; i++) {
            Change change = changes[i];
            if (i > from && change.revision() != changes[i - 1].revision()) {
                if (bytes >= source.responseBytes()) {
                    break;
                }
                whole = count;
                revisionAt = bytes;
            }
            if (!wanted(change, options)) {
                continue;
            }
            if (previous != null && change.revision() != bareRevision) {
                byte[] before = previousOf(change, source.changes());
                previous[count] = before;
                bytes += before == null ? 0 : before.length;
            }
            chosen[count++] = change;
            bytes += change.keyValue().length;
            if (bytes - revisionAt > source.revisionBytes()) {
                return whole == 0 ? null : new EventBatch(chosen, previous, 0, whole);
            }
        }
        return new EventBatch(chosen, previous, 0, count);
    }

    /** Reads the previous value, and keeps it with the change if it is of the size that the change is charged for. */
    static byte @Nullable [] previousOf(Change change, ChangeSource source) {
        if (change.previousPlace() == 0) {
            return null;
        }
        byte[] cached = change.cachedPrevious();
        if (cached != null) {
            return cached;
        }
        byte[] read = source.previous(change);
        if (read != null && read.length <= EventHistory.previousAllowance(change)) {
            change.cachePrevious(read);
        }
        return read;
    }

    static boolean wanted(Change change, int options) {
        return (options & (change.delete() ? Watcher.NO_DELETE : Watcher.NO_PUT)) == 0;
    }

    /**
     * Where batches come from.
     *
     * @param changes reads previous values
     * @param responseBytes size at which a response ends with the revision it has reached
     * @param revisionBytes size up to which one revision is in memory as a whole
     */
    record Source(ChangeSource changes, long responseBytes, long revisionBytes) {}
}

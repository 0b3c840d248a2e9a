/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.watch;

import dev.nightjar.core.mvcc.Change;
import dev.nightjar.core.mvcc.ChangeSource;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * The latest changes of the store, shared by all watchers: written by the apply thread alone, read by any thread
 * without a lock.
 *
 * <p>A ring of slots bounded by the bytes that its changes hold. Positions only grow; position p lives in slot p
 * modulo the number of slots, and positions in {@code [tail, head)} are filled. Whole revisions enter and leave, and
 * the revisions from {@code oldest} to {@code newest} are there without a hole:
 *
 * <pre>
 *   position   7    8    9    10   11        append of revision 6 with two changes, room for five:
 *   revision   3    4    4    4    5         revision 3 goes, then 4 as a whole, then 6 is written
 *              tail                 head     behind 5: tail = 11, oldest = 5, newest = 6
 * </pre>
 *
 * <p>Why a reader cannot be misled: the writer moves {@code tail} before it clears or overwrites a slot, and a reader
 * looks at {@code tail} again after it has read a slot. If it saw a newer value in the slot, it also sees a tail beyond
 * its position, and reports the revision as gone instead of showing it.
 */
class EventHistory {
    /** Asked for a revision that is not kept any more. */
    static final long GONE = -1;

    /** Object headers, references and slot of one change: an estimate, so that small changes count too. */
    static final int CHANGE_OVERHEAD_BYTES = Change.OVERHEAD_BYTES;

    /** A previous value up to this size may be kept with a change whatever the size of its own value. */
    static final int SMALL_PREVIOUS_BYTES = 256;

    private final long limitBytes;
    private final int mask;
    private final AtomicReferenceArray<Change> slots;
    private long bytes;

    private volatile long tail;
    private volatile long head;
    private volatile long oldest;
    private volatile long newest;

    /**
     * @param limitBytes what the kept changes may hold
     * @param revision the store's revision; the first change appended is to be of the next one
     */
    EventHistory(long limitBytes, long revision) {
        this.limitBytes = limitBytes;
        long slotsNeeded = Math.clamp(limitBytes / CHANGE_OVERHEAD_BYTES, 2, 1 << 28);
        int capacity = Integer.highestOneBit((int) slotsNeeded - 1) << 1;
        mask = capacity - 1;
        slots = new AtomicReferenceArray<>(capacity);
        oldest = revision + 1;
        newest = revision;
    }

    /**
     * Adds changes before the store publishes their revisions; apply thread only. A revision larger than the whole
     * ring is not kept.
     *
     * @param changes whole revisions without a gap, in order; an omission ends what is kept
     */
    void append(List<Change> changes) {
        int from = 0;
        while (from < changes.size()) {
            long revision = changes.get(from).revision();
            if (changes.get(from).isOmission()) {
                reset(revision);
                from++;
                continue;
            }
            if (revision != newest + 1) {
                throw new IllegalStateException("revision " + revision + " appended behind " + newest);
            }
            int to = from;
            long size = 0;
            while (to < changes.size() && changes.get(to).revision() == revision) {
                size += chargedBytes(changes.get(to++));
            }
            appendRevision(changes.subList(from, to), revision, size);
            from = to;
        }
    }

    /** From here to the newest, all revisions are kept; one above the newest if none is. */
    long oldestRevision() {
        return oldest;
    }

    /** What the kept changes hold; apply thread only. */
    long bytes() {
        return bytes;
    }

    /**
     * Shows the changes with {@code fromRevision <= revision <= toRevision}; any thread.
     *
     * @return as of {@link ChangeSource#scan}: the first revision not shown completely, {@link #GONE} if nothing was
     *     shown because {@code fromRevision} is not kept
     */
    long read(long fromRevision, long toRevision, ChangeSource.Visitor visitor) {
        long to = Math.min(toRevision, newest);
        long end = head;
        long position = find(fromRevision, end);
        if (position == GONE) {
            return GONE;
        }
        long shown = GONE;
        for (; position < end; position++) {
            Change change = slots.getAcquire((int) position & mask);
            if (change == null || position < tail) {
                return shown;
            }
            if (change.revision() > to) {
                break;
            }
            if (!visitor.visit(change)) {
                return change.revision();
            }
            shown = change.revision();
        }
        return Math.max(fromRevision, to + 1);
    }

    /** What may be kept as the previous value of a change; it is part of what the change is charged for. */
    static int previousAllowance(Change change) {
        return change.previousPlace() == 0 ? 0 : Math.max(SMALL_PREVIOUS_BYTES, change.keyValue().length);
    }

    private void appendRevision(List<Change> changes, long revision, long size) {
        if (size > limitBytes || changes.size() > slots.length()) {
            reset(revision);
            return;
        }
        evictUntil(limitBytes - size, slots.length() - changes.size());
        long position = head;
        for (Change change : changes) {
            slots.setRelease((int) position++ & mask, change);
        }
        bytes += size;
        head = position;
        newest = revision;
    }

    /** Keeps nothing up to this revision, which is the newest. */
    private void reset(long revision) {
        evictUntil(0, 0);
        oldest = revision + 1;
        newest = revision;
    }

    /** Lets whole revisions go until no more than the given bytes and changes are left. */
    private void evictUntil(long bytesLeft, int changesLeft) {
        long end = head;
        long first = tail;
        long position = first;
        while (position < end && (bytes > bytesLeft || end - position > changesLeft)) {
            long revision = slots.getPlain((int) position & mask).revision();
            while (position < end && slots.getPlain((int) position & mask).revision() == revision) {
                bytes -= chargedBytes(slots.getPlain((int) position++ & mask));
            }
            oldest = revision + 1;
        }
        tail = position;
        for (long gone = first; gone < position; gone++) {
            slots.setRelease((int) gone & mask, null);
        }
    }

    /** Position of the first change at or above the revision: near the head, for nearly all who ask. */
    private long find(long revision, long end) {
        if (revision < oldest) {
            return GONE;
        }
        long low = tail;
        long high = end;
        for (long step = 1; high - low > step; step *= 2) {
            if (isBelow(high - step, revision)) {
                low = high - step + 1;
                break;
            }
            high -= step;
        }
        while (low < high) {
            long middle = (low + high) >>> 1;
            if (isBelow(middle, revision)) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return revision < oldest ? GONE : low;
    }

    private boolean isBelow(long position, long revision) {
        Change change = slots.getAcquire((int) position & mask);
        return change == null || position < tail || change.revision() < revision;
    }

    private static long chargedBytes(Change change) {
        return change.chargedBytes() + previousAllowance(change);
    }
}

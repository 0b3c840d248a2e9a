/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.mvcc;

import dev.nightjar.core.storage.RecordStore;
import java.util.ArrayDeque;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/**
 * The hashes of the newest compactions: each covers what its compaction was about to take away, from the compaction before
 * it on, and can be told when that is long gone. Kept in memory only, as etcd does.
 *
 * <pre>
 *   compact(10)     hash of everything up to 10                       told for revision 10, compacted revision -1
 *   compact(25)     hash of what is kept of 10, and 11 to 25          told for revision 25, compacted revision 10
 * </pre>
 *
 * <p>The apply thread notes what is asked for; the maintenance thread walks, before it lets the index forget; any thread
 * asks. The monitor guards the two short queues and is held for a look at them.
 *
 * <p>A compaction goes without a hash if the one before it had not been carried out when its turn came, or if the store
 * is so large that reading it at each compaction would cost more than the hash is worth.
 */
final class CompactionHashes {

    /** As many as etcd keeps. */
    static final int KEPT = 10;

    /** Compactions that may wait: more than this many at once are not worth a hash each. */
    static final int WAITING = 64;

    /** Records to read for one hash: the size up to which etcd is meant to be used without being told. */
    static final long MOST_BYTES = 2L << 30;

    private record Asked(long previousRevision, long revision) {}

    private final MvccStore store;
    private final RecordStore records;
    private final long mostBytes;
    private final ArrayDeque<Asked> asked = new ArrayDeque<>();
    private final ArrayDeque<KvHash> kept = new ArrayDeque<>();

    // Maintenance thread.
    private @Nullable Asked walked;
    private @Nullable HashWalk walk;

    CompactionHashes(MvccStore store, RecordStore records, long mostBytes) {
        this.store = store;
        this.records = records;
        this.mostBytes = mostBytes;
    }

    /** A compaction has been accepted; not yet visible to readers. Apply thread. */
    synchronized void asked(long previousRevision, long revision) {
        if (asked.size() == WAITING) {
            asked.removeFirst();
        }
        asked.addLast(new Asked(previousRevision, revision));
    }

    /** The hash of a compaction, null if it is not among those that are kept. Any thread. */
    synchronized @Nullable KvHash find(long revision) {
        for (KvHash hash : kept) {
            if (hash.revision() == revision) {
                return hash;
            }
        }
        return null;
    }

    /**
     * Does a piece of the hash that the next compaction needs before anything is forgotten for it. Maintenance thread.
     *
     * @param doneRevision all that was superseded up to here is forgotten
     * @return whether there is more to do before
     */
    boolean step(long doneRevision) {
        HashWalk current = walk;
        if (current == null) {
            walked = take(doneRevision);
            current = walked == null ? null : begin(walked);
            walk = current;
        }
        if (current == null || walked == null) {
            return false;
        }
        if (current.step()) {
            return true;
        }
        keep(new KvHash(current.value(), walked.previousRevision(), walked.revision()));
        walked = null;
        walk = null;
        return false;
    }

    /** The published compaction that follows on what is done, null if there is none. */
    private synchronized @Nullable Asked take(long doneRevision) {
        long published = store.compactedRevision();
        for (Iterator<Asked> each = asked.iterator(); each.hasNext(); ) {
            Asked next = each.next();
            if (next.revision() > published || next.previousRevision() > doneRevision) {
                return null;
            }
            each.remove();
            if (next.previousRevision() == doneRevision) {
                return next;
            }
        }
        return null;
    }

    private @Nullable HashWalk begin(Asked compaction) {
        if (records.sizeBytes() > mostBytes) {
            return null;
        }
        RecordStore.Snapshot log = records.snapshot();
        // As in etcd: if nothing at all is to be kept, what the compaction before had kept still counts.
        boolean keepsAny =
                log.cursor(compaction.revision(), compaction.revision()).next() != null
                        || KvHash.anyKeyExists(store, compaction.revision());
        return new HashWalk(
                store,
                log.cursor(0, compaction.revision()),
                compaction.previousRevision(),
                keepsAny ? compaction.revision() : compaction.previousRevision());
    }

    private synchronized void keep(KvHash hash) {
        if (kept.size() == KEPT) {
            kept.removeFirst();
        }
        kept.addLast(hash);
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.mvcc;

import dev.nightjar.core.storage.RecordStore;
import java.util.concurrent.CancellationException;
import java.util.function.BooleanSupplier;

/**
 * A digest of the keys and their history, to compare members; the same number that etcd gives for the same history. How far
 * the physical side of compaction has come does not matter.
 *
 * <p>Digested is every change up to the revision, but of those up to the compacted revision only puts that are still
 * their key's newest change at the revision. If no key exists there, etcd counts what was visible at the compacted revision
 * instead, and so does this.
 *
 * @param hash see {@link RecordDigest}
 * @param compactedRevision the compacted revision, -1 if none
 * @param revision the revision that was digested
 */
public record KvHash(int hash, long compactedRevision, long revision) {

    /** Any thread; takes about as long as reading everything once. */
    static KvHash of(MvccStore store, RangeReader.Source source, long askedRevision, BooleanSupplier canceled) {
        RecordStore.Snapshot log;
        long revision;
        long compacted;
        long stamp = store.lock().readLock();
        try {
            revision = askedRevision == 0 ? source.newestRevision() : askedRevision;
            compacted = store.compactedRevision();
            if (revision > source.newestRevision()) {
                throw new FutureRevisionException();
            }
            if (revision > 0 && revision < compacted) {
                throw new RevisionCompactedException(compacted);
            }
            log = source.log();
            store.pins().pin(compacted);
        } finally {
            store.lock().unlockRead(stamp);
        }
        if (log == null) {
            throw new IllegalStateException("what was published is in the log");
        }
        long pinned = compacted;
        try {
            long keptAt = anyKeyExists(store, revision) ? revision : compacted;
            // From here on compaction may come closer, if it may.
            store.pins().pin(keptAt);
            store.pins().unpin(pinned);
            pinned = keptAt;
            HashWalk walk = new HashWalk(store, log.cursor(0, revision), compacted, keptAt);
            while (walk.step()) {
                if (canceled.getAsBoolean()) {
                    throw new CancellationException();
                }
            }
            return new KvHash(walk.value(), compacted, revision);
        } finally {
            store.pins().unpin(pinned);
        }
    }

    /** Whether any key exists at a revision that the index has for the length of this. */
    static boolean anyKeyExists(MvccStore store, long revision) {
        KeyScan scan = new KeyScan(new byte[0], null, revision, 1, false);
        while (!scan.isDone() && !scan.isFull()) {
            long stamp = store.lock().readLock();
            try {
                scan.readChunk(store.index());
            } finally {
                store.lock().unlockRead(stamp);
            }
        }
        return scan.isFull();
    }
}

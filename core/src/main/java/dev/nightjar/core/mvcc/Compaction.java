/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.mvcc;

import dev.nightjar.core.storage.RecordStore;
import dev.nightjar.core.storage.StoreFailedException;
import dev.nightjar.core.storage.StoredRecord;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What changes places and forgets history, and the image, which must not see half of either: in small steps, first the
 * index forgets, then files are packed. Maintenance thread.
 *
 * <p>The monitor keeps a second maintenance thread out; no read and no write ever waits for it. It guards
 * {@link #running}, {@link #image} and the log's packing under way, all at once, since what the index forgets has to be told to the file
 * that holds it before that file is replaced. It is held for one step: {@link #PAGES_IN_STEP} pages of the index, or one
 * piece of file work, the longest of which is the sync of a packed file.
 *
 * <p>The compacted revision moves in the apply thread. This may be far behind it, may stop at any point, and starts
 * again from the compacted revision after a restart: nobody sees the difference but the disk.
 */
final class Compaction implements RecordStore.Owner {

    private static final Logger LOG = LoggerFactory.getLogger(Compaction.class);

    /** Pages of the index that one step treats; the write lock is given back after each. */
    static final int PAGES_IN_STEP = 16;

    /** A start reads so much in some milliseconds. */
    static final long LAST_IMAGE_BYTES = 1 << 20;

    private final MvccStore store;
    private final RecordStore records;
    private final AtomicLong bytesInUse;
    private final CompactionHashes hashes;
    private @Nullable IndexCompaction running;
    private @Nullable IndexImage image;
    private boolean thorough;
    private volatile long doneRevision = -1;

    Compaction(MvccStore store, RecordStore records, AtomicLong bytesInUse, CompactionHashes hashes) {
        this.store = store;
        this.records = records;
        this.bytesInUse = bytesInUse;
        this.hashes = hashes;
    }

    /** All that changes at or below it superseded is forgotten. Any thread. */
    long doneRevision() {
        return doneRevision;
    }

    /**
     * Brings the index to the compacted revision. While nobody else has the store.
     *
     * @param forgotten up to which revision that has been done already
     */
    synchronized void forgetAll(long forgotten) {
        if (forgotten >= store.compactedRevision()) {
            doneRevision = forgotten;
            return;
        }
        IndexCompaction all = new IndexCompaction(store.index(), store.compactedRevision());
        while (!all.isDone()) {
            all.step();
            release(all.dropped());
        }
        doneRevision = all.revision();
    }

    /** See {@link MvccStore#compactStep}. */
    synchronized boolean forgetStep(long mostRecords) {
        if (image != null) {
            return true;
        }
        IndexCompaction current = running;
        if (current == null) {
            if (hashes.step(doneRevision)) {
                return true;
            }
            current = begin();
            if (current == null) {
                return false;
            }
            running = current;
        }
        long dropped = 0;
        for (int i = 0; i < PAGES_IN_STEP && dropped < mostRecords && !current.isDone(); i++) {
            long stamp = store.lock().writeLock();
            try {
                current.step();
            } finally {
                store.lock().unlockWrite(stamp);
            }
            release(current.dropped());
            dropped += current.dropped().length;
        }
        if (current.isDone()) {
            doneRevision = current.revision();
            running = null;
        }
        return running != null || doneRevision < store.pins().lowest(store.compactedRevision());
    }

    private @Nullable IndexCompaction begin() {
        long target;
        long stamp = store.lock().writeLock();
        try {
            // Under the lock no read can be between choosing its revision and pinning it.
            target = store.pins().lowest(store.compactedRevision());
        } finally {
            store.lock().unlockWrite(stamp);
        }
        if (target <= doneRevision) {
            return null;
        }
        // What is forgotten may be removed from the disk: first what supersedes it has to be safe there.
        try {
            records.sync();
        } catch (IOException e) {
            throw new StoreFailedException("sync", e);
        }
        return new IndexCompaction(store.index(), target);
    }

    private void release(long[] places) {
        for (long place : places) {
            bytesInUse.addAndGet(-records.release(place));
        }
    }

    /** See {@link MvccStore#packStep}. */
    synchronized boolean packStep(boolean takesAll) throws IOException {
        thorough = takesAll;
        return image != null || records.packStep(this);
    }

    // ---- the image: what it says of places and of what is forgotten must be of one moment

    /** See {@link MvccStore#isImageDue}. */
    boolean isImageDue() {
        return records.isImageDue();
    }

    /** See {@link MvccStore#imageStep}. */
    synchronized boolean imageStep() throws IOException {
        IndexImage current = image;
        if (current == null) {
            if (records.isPacking()) {
                return false;
            }
            image = new IndexImage(store, records.beginImage(doneRevision));
            return true;
        }
        boolean more = false;
        boolean failed = true;
        try {
            more = current.step();
            failed = false;
        } finally {
            if (failed) {
                abandonImage();
            } else if (!more) {
                image = null;
            }
        }
        return more;
    }

    /** Writes an image if a start would take longer without it than this does. While nobody else has the store. */
    synchronized void writeLastImage() throws IOException {
        abandonImage();
        if (records.bytesBehindImage() >= LAST_IMAGE_BYTES) {
            try {
                records.settle(this);
                boolean more = imageStep();
                while (more) {
                    more = imageStep();
                }
            } catch (IOException e) {
                LOG.warn("the index image could not be written, so the next start takes longer: {}", e.getMessage());
            }
        }
    }

    synchronized void abandonImage() throws IOException {
        IndexImage current = image;
        image = null;
        if (current != null) {
            current.abandon();
        }
    }

    // ---- what packing has to know and to tell

    @Override
    public long forgottenRevision() {
        return doneRevision;
    }

    @Override
    public boolean isThorough() {
        return thorough;
    }

    @Override
    public boolean isReachable(long place, StoredRecord change) {
        if (change.revision() > doneRevision) {
            return true;
        }
        byte[] key = change.key();
        long stamp = store.lock().readLock();
        try {
            return store.index().holds(key, change.revision(), place);
        } finally {
            store.lock().unlockRead(stamp);
        }
    }

    @Override
    public boolean moved(long oldPlace, long newPlace, StoredRecord change) {
        byte[] key = change.key();
        long stamp = store.lock().writeLock();
        try {
            return store.index().relocate(key, change.revision(), oldPlace, newPlace);
        } finally {
            store.lock().unlockWrite(stamp);
        }
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.mvcc;

import dev.nightjar.core.storage.Frame;
import dev.nightjar.core.storage.FrameInfo;
import dev.nightjar.core.storage.RecordStore;
import dev.nightjar.core.storage.StoredRecord;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the apply thread has written since the last commit: the frame under construction, its changes, and where the store
 * will be with it. Apply thread only.
 *
 * <pre>
 *   begin … end    any number of transactions; rows and a compaction may come between them
 *   commit         one frame, one write; then everything starts anew
 * </pre>
 */
final class WriteBatch {

    /**
     * What listed changes may hold. The ring that they are meant for keeps no more by default; watchers read from the log
     * what is not in it.
     */
    static final long LISTED_BYTES = 32L << 20;

    private final RecordStore records;
    private final Rows rows;
    private @Nullable Frame frame;
    private @Nullable WriteTxn transaction;
    private List<Change> changes = new ArrayList<>();
    private long listedBytes;
    /** Changes up to this revision are left out, 0 if none are. */
    private long omittedRevision;

    private FrameInfo current;
    /** Frames begun and written since the start; any thread reads. A frame is begun before anything of it can be seen. */
    private volatile long framesBegun;

    private volatile long framesWritten;

    WriteBatch(RecordStore records, Rows rows) {
        this.records = records;
        this.rows = rows;
        this.current = records.last();
    }

    /** Number of the newest frame of which something can be seen. Any thread. */
    long framesBegun() {
        return framesBegun;
    }

    /** Number of the newest frame that is in the log. Any thread. */
    long framesWritten() {
        return framesWritten;
    }

    /** Where the store is with everything written so far. */
    FrameInfo current() {
        return current;
    }

    WriteTxn begin(MvccStore store) {
        if (transaction != null) {
            throw new IllegalStateException("the transaction before has not ended");
        }
        WriteTxn begun = new WriteTxn(store, current.revision());
        transaction = begun;
        return begun;
    }

    void ended(WriteTxn ended) {
        if (transaction != ended) {
            throw new IllegalStateException("not the open transaction");
        }
        transaction = null;
        current = new FrameInfo(
                current.appliedIndex(), current.appliedTerm(), ended.revision(), current.compactedRevision());
    }

    /** The frame under construction. */
    Frame frame() {
        Frame begun = frame;
        if (begun == null) {
            begun = records.begin();
            frame = begun;
            framesBegun = framesWritten + 1;
        }
        return begun;
    }

    /** Whether changes of a revision are listed. */
    boolean lists(long revision) {
        return revision > omittedRevision;
    }

    void changed(Change change) {
        listedBytes += change.chargedBytes();
        if (listedBytes > LISTED_BYTES) {
            omittedRevision = change.revision();
            changes = new ArrayList<>();
            listedBytes = 0;
        } else {
            changes.add(change);
        }
    }

    /** Bytes that {@link #commit} will write, 0 if there is nothing to write. */
    long uncommittedBytes() {
        return frame == null ? 0 : frame.length();
    }

    void putRow(MvccStore store, Row row) {
        frame().row(row.type(), row.id(), row.body());
        long stamp = store.lock().writeLock();
        try {
            rows.put(row.type(), row.id(), row.body());
        } finally {
            store.lock().unlockWrite(stamp);
        }
    }

    void removeRow(MvccStore store, int type, byte[] id) {
        if (rows.get(type, id) == null) {
            return;
        }
        frame().row(type, id, null);
        long stamp = store.lock().writeLock();
        try {
            rows.remove(type, id);
        } finally {
            store.lock().unlockWrite(stamp);
        }
    }

    void compact(long revision) {
        if (revision <= current.compactedRevision()) {
            throw new RevisionCompactedException(current.compactedRevision());
        }
        if (revision > current.revision()) {
            throw new FutureRevisionException();
        }
        var _ = frame();
        current = new FrameInfo(current.appliedIndex(), current.appliedTerm(), current.revision(), revision);
    }

    List<Change> commit(long appliedIndex, long appliedTerm) {
        requireBetweenTransactions();
        current = new FrameInfo(appliedIndex, appliedTerm, current.revision(), current.compactedRevision());
        Frame written = frame;
        if (written == null) {
            return List.of();
        }
        if (rows.isResetDue()) {
            rows.reset(written);
        }
        records.append(written, current);
        frame = null;
        framesWritten = framesBegun;
        return takeChanges();
    }

    private List<Change> takeChanges() {
        List<Change> result = changes;
        if (omittedRevision != 0) {
            result.addFirst(Change.omission(omittedRevision));
        }
        changes = new ArrayList<>();
        listedBytes = 0;
        omittedRevision = 0;
        return result;
    }

    /** Writes down the newest applied index if no frame has recorded it yet. */
    void recordAppliedIndex() {
        if (!records.last().equals(current)) {
            records.append(records.begin(), current);
        }
    }

    boolean isCommitted() {
        return transaction == null && frame == null;
    }

    private void requireBetweenTransactions() {
        if (transaction != null) {
            throw new IllegalStateException("a transaction has not ended");
        }
    }

    void requireCommitted() {
        requireBetweenTransactions();
        if (frame != null) {
            throw new IllegalStateException("there are changes that have not been committed");
        }
    }

    /** Finds records wherever they are now, also in the frame under construction. */
    RecordStore.Places places() {
        Frame open = frame;
        RecordStore.Places written = records.snapshot();
        return open == null ? written : place -> open.contains(place) ? open.read(place) : written.read(place);
    }

    /** The record of a place in the frame under construction, null if it is not there. */
    @Nullable
    StoredRecord uncommitted(long place) {
        Frame open = frame;
        return open != null && open.contains(place) ? open.read(place) : null;
    }
}

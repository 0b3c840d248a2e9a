/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.mvcc;

import dev.nightjar.core.storage.RecordStore;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The keys and their history. The apply thread writes; any thread reads, at the published revision.
 */
@SuppressWarnings("DoNotCallSuggester")
public final class MvccStore implements ChangeSource, AutoCloseable {

    private MvccStore() {}

    /**
     * Opens the store over its records, which it owns from now on, and rebuilds the index by replaying them.
     *
     * @throws IOException if the records cannot be read
     */
    public static MvccStore open(RecordStore records) throws IOException {
        throw new UnsupportedOperationException();
    }

    // ---- any thread

    @Override
    public long publishedRevision() {
        throw new UnsupportedOperationException();
    }

    @Override
    public long compactedRevision() {
        throw new UnsupportedOperationException();
    }

    /** Log index of the newest command whose effects are in the store. */
    public long appliedIndex() {
        throw new UnsupportedOperationException();
    }

    /** Log term of that command. */
    public long appliedTerm() {
        throw new UnsupportedOperationException();
    }

    /** Number of keys that exist now. */
    public long keyCount() {
        throw new UnsupportedOperationException();
    }

    /** Bytes of all records on disk. */
    public long sizeBytes() {
        throw new UnsupportedOperationException();
    }

    /** Bytes of the records that a reader can still reach. */
    public long sizeInUseBytes() {
        throw new UnsupportedOperationException();
    }

    /**
     * Reads a range.
     *
     * @throws RevisionCompactedException if the asked revision is below the compacted one
     * @throws FutureRevisionException if the asked revision is above the published one
     */
    public RangeResult range(RangeQuery query) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long scan(long fromRevision, long toRevision, Visitor visitor) {
        throw new UnsupportedOperationException();
    }

    @Override
    public byte @Nullable [] previous(Change change) {
        throw new UnsupportedOperationException();
    }

    /**
     * Makes everything written so far durable.
     *
     * @return the applied index that survives a power loss from now on
     */
    public long sync() throws IOException {
        throw new UnsupportedOperationException();
    }

    /**
     * Does one bounded piece of the physical compaction: forgets superseded history at or below the compacted
     * revision. For one thread at a time.
     *
     * @return whether there is more to do
     */
    public boolean compactStep() {
        throw new UnsupportedOperationException();
    }

    // ---- apply thread

    /** The newest revision written, published or not. */
    public long currentRevision() {
        throw new UnsupportedOperationException();
    }

    /** Begins a write transaction; the one before must have ended. */
    public WriteTxn begin() {
        throw new UnsupportedOperationException();
    }

    /** Adds or replaces a row of small state; part of the frame that the next commit writes. */
    public void putRow(int type, byte[] id, byte[] body) {
        throw new UnsupportedOperationException();
    }

    /** Removes a row; no effect if there is none. */
    public void removeRow(int type, byte[] id) {
        throw new UnsupportedOperationException();
    }

    /** The body of a row, null if there is none. */
    public byte @Nullable [] row(int type, byte[] id) {
        throw new UnsupportedOperationException();
    }

    /** A copy of all rows of a type, ascending by id (unsigned bytes). */
    public List<Row> rows(int type) {
        throw new UnsupportedOperationException();
    }

    /**
     * Moves the compacted revision. Takes effect for readers with the next {@link #publish}; space comes back through
     * {@link #compactStep}.
     *
     * @throws RevisionCompactedException if {@code revision} is not above the one compacted before
     * @throws FutureRevisionException if {@code revision} is above {@link #currentRevision}
     */
    public void compact(long revision) {
        throw new UnsupportedOperationException();
    }

    /**
     * Writes everything since the last commit as one frame in one write. If nothing was written the applied index is
     * only remembered and gets recorded by a later frame, {@link #checkpoint} or {@link #close}.
     *
     * @return the changes in order; not visible to readers before {@link #publish}
     */
    public List<Change> commit(long appliedIndex, long appliedTerm) {
        throw new UnsupportedOperationException();
    }

    /** Lets readers see everything that was committed. */
    public void publish() {
        throw new UnsupportedOperationException();
    }

    /**
     * Puts a durable copy of the store into an existing empty directory on the same file system, by hard links. Between
     * commit and begin.
     */
    public void checkpoint(Path directory) throws IOException {
        throw new UnsupportedOperationException();
    }

    /** Makes everything durable and gives the files back. No call may be running or follow. */
    @Override
    public void close() throws IOException {
        throw new UnsupportedOperationException();
    }
}

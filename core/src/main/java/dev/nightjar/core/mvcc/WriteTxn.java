/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.mvcc;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * One write transaction: all its changes share one main revision, sub revisions count 0, 1, 2 …. Apply thread only; one
 * at a time, closed by {@link #end}. There is no rollback: whoever writes has made all checks before.
 */
@SuppressWarnings("DoNotCallSuggester")
public final class WriteTxn {

    WriteTxn() {}

    /** The revision before this transaction. */
    public long baseRevision() {
        throw new UnsupportedOperationException();
    }

    /** Whether the transaction has changed a key so far. */
    public boolean changed() {
        throw new UnsupportedOperationException();
    }

    /** The revision as this transaction sees it: base + 1 once something changed, else base. */
    public long revision() {
        throw new UnsupportedOperationException();
    }

    /** The newest state of a key, own writes included; null if there is no such key. */
    public @Nullable KvView get(byte[] key) {
        throw new UnsupportedOperationException();
    }

    /**
     * Reads with own writes visible if {@code query.revision()} is zero or below, else that revision.
     *
     * @throws RevisionCompactedException see {@link MvccStore#range}
     * @throws FutureRevisionException if the revision is above {@link #revision}
     */
    public RangeResult range(RangeQuery query) {
        throw new UnsupportedOperationException();
    }

    /**
     * Writes a key. What it held before can be asked with {@link #previous} and {@link #previousLease} until the next
     * write of this transaction.
     *
     * @param key not empty; kept, not to be changed afterwards
     * @param value the bytes from position to limit; copied, position left as it was
     * @param lease 0 for none
     */
    public void put(byte[] key, ByteBuffer value, long lease) {
        throw new UnsupportedOperationException();
    }

    /** Whether the last {@link #put} replaced a value; reads nothing. */
    public boolean hasPrevious() {
        throw new UnsupportedOperationException();
    }

    /** What the last {@link #put} replaced, null if it created the key. */
    public @Nullable KvView previous() {
        throw new UnsupportedOperationException();
    }

    /** The lease the key of the last {@link #put} was attached to before, 0 if none; rarely reads a record. */
    public long previousLease() {
        throw new UnsupportedOperationException();
    }

    /** Deletes every key of the range (forms as in {@link RangeQuery}) that exists now. */
    public DeleteResult delete(byte[] key, byte[] end) {
        throw new UnsupportedOperationException();
    }

    /** Closes the transaction; its changes are part of the frame that the next commit writes. */
    public void end() {
        throw new UnsupportedOperationException();
    }
}

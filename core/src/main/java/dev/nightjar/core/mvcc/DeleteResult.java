/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.mvcc;

import java.util.List;

/** The keys that one delete removed, ascending. Apply thread, until the next {@link MvccStore#commit}. */
@SuppressWarnings("DoNotCallSuggester")
public final class DeleteResult {

    DeleteResult() {}

    /** Number of keys deleted. */
    public int count() {
        throw new UnsupportedOperationException();
    }

    /** The {@code index}-th deleted key; not to be changed. */
    public byte[] key(int index) {
        throw new UnsupportedOperationException();
    }

    /** The lease that the key was attached to, 0 if none; reads the old record only if there was one. */
    public long lease(int index) {
        throw new UnsupportedOperationException();
    }

    /** What the key held before. */
    public KvView previous(int index) {
        throw new UnsupportedOperationException();
    }

    /** What all keys held before, ascending by key. */
    public List<KvView> previous() {
        throw new UnsupportedOperationException();
    }
}

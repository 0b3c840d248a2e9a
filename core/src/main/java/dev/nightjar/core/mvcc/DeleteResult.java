/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.mvcc;

import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.RandomAccess;

/** The keys that one delete removed, ascending. Apply thread; views taken from it may go anywhere. */
public final class DeleteResult {

    private final MvccStore store;
    private final long revision;
    private final List<byte[]> keys = new ArrayList<>();
    /** Change word and place of what each key held before. */
    private long[] previous = new long[8];

    DeleteResult(MvccStore store, long revision) {
        this.store = store;
        this.revision = revision;
    }

    void add(byte[] key, long previousWord, long previousPlace) {
        int at = 2 * keys.size();
        if (at == previous.length) {
            previous = Arrays.copyOf(previous, 2 * at);
        }
        previous[at] = previousWord;
        previous[at + 1] = previousPlace;
        keys.add(key);
    }

    /** Number of keys deleted. */
    public int count() {
        return keys.size();
    }

    /** The {@code index}-th deleted key; not to be changed. */
    public byte[] key(int index) {
        return keys.get(index);
    }

    /** The lease that the key was attached to, 0 if none; reads the old record only if there was one. */
    public long lease(int index) {
        return ChangeWord.isLeased(previous[2 * index]) ? previous(index).lease() : 0;
    }

    /** What the key held before. */
    public KvView previous(int index) {
        return store.replaced(key(index), revision, previous[2 * index + 1]);
    }

    /** What all keys held before, ascending by key. */
    public List<KvView> previous() {
        return new Views();
    }

    private final class Views extends AbstractList<KvView> implements RandomAccess {
        @Override
        public KvView get(int index) {
            return previous(index);
        }

        @Override
        public int size() {
            return count();
        }
    }
}

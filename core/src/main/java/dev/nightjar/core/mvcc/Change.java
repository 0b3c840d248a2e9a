/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.mvcc;

import org.jspecify.annotations.Nullable;

/**
 * One key changed at one revision, as watchers need it. Immutable but for the cached previous value; shared by all
 * shards.
 */
public final class Change {
    /** Object headers, references and slot of one change. */
    public static final int OVERHEAD_BYTES = 144;

    private final long revision;
    private final boolean delete;
    private final byte[] key;
    private final byte[] keyValue;
    private final long previousPlace;
    private volatile byte @Nullable [] previousKeyValue;

    /**
     * @param revision main revision of the change
     * @param delete whether the key was deleted
     * @param key the key
     * @param keyValue the encoded KeyValue as stored by this change; of a delete, key and mod_revision only
     * @param previousPlace place of the record that held the key before, 0 if there was none
     */
    public Change(long revision, boolean delete, byte[] key, byte[] keyValue, long previousPlace) {
        this.revision = revision;
        this.delete = delete;
        this.key = key;
        this.keyValue = keyValue;
        this.previousPlace = previousPlace;
    }

    /** Stands at the beginning of a list for all changes up to a revision, which are not listed. */
    public static Change omission(long revision) {
        return new Change(revision, false, new byte[0], new byte[0], 0);
    }

    /** Whether this is no change, but stands for all those up to its revision: they were too many to be listed. */
    public boolean isOmission() {
        return key.length == 0;
    }

    /** What is charged for holding the change: header, references and slot are an estimate, so that small ones count too. */
    public long chargedBytes() {
        return OVERHEAD_BYTES + key.length + (long) keyValue.length;
    }

    public long revision() {
        return revision;
    }

    public boolean delete() {
        return delete;
    }

    /** The key; not to be changed. */
    public byte[] key() {
        return key;
    }

    /** Encoded KeyValue of the event; not to be changed. */
    public byte[] keyValue() {
        return keyValue;
    }

    /** Place of the record that the key had before, 0 if the change created the key. */
    public long previousPlace() {
        return previousPlace;
    }

    /** The cached previous KeyValue, null if nobody asked yet. */
    public byte @Nullable [] cachedPrevious() {
        return previousKeyValue;
    }

    /** Keeps the previous KeyValue for the next watcher that asks. */
    public void cachePrevious(byte[] encodedKeyValue) {
        previousKeyValue = encodedKeyValue;
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.watch;

import dev.nightjar.core.mvcc.Change;
import org.jspecify.annotations.Nullable;

/**
 * The events of one response, shared by every watcher that gets the same ones in a turn: whoever encodes them first may
 * leave the bytes here for the others. Immutable but for that; belongs to the loop it is handed out on and is not to be
 * kept beyond the call.
 */
public final class EventBatch {
    private final Change[] changes;
    private final byte @Nullable [] @Nullable [] previous;
    private final int from;
    private final int to;
    private byte @Nullable [] encoded;
    private long encodedBytes = -1;

    EventBatch(Change[] changes, byte @Nullable [] @Nullable [] previous, int from, int to) {
        if (from >= to) {
            throw new IllegalArgumentException("a batch has at least one event");
        }
        this.changes = changes;
        this.previous = previous;
        this.from = from;
        this.to = to;
    }

    /** At least 1. */
    public int size() {
        return to - from;
    }

    /** The changes are in order of revision and, within one, of execution. */
    public Change change(int index) {
        return changes[from + checked(index)];
    }

    /** The encoded KeyValue for {@code prev_kv}; null if it is not asked for or not there. */
    public byte @Nullable [] previous(int index) {
        return previous == null ? null : previous[from + checked(index)];
    }

    public long firstRevision() {
        return changes[from].revision();
    }

    public long lastRevision() {
        return changes[to - 1].revision();
    }

    /** Size of the events in an encoded WatchResponse, with the tag and length of each. */
    public long encodedBytes() {
        if (encodedBytes < 0) {
            long bytes = 0;
            for (int i = 0; i < size(); i++) {
                bytes += eventBytes(i);
            }
            encodedBytes = bytes;
        }
        return encodedBytes;
    }

    /** What {@link #keepEncoded} was given, else null. */
    public byte @Nullable [] encoded() {
        return encoded;
    }

    /** Leaves the encoded events, field by field as in a WatchResponse, for the next watcher with this batch. */
    public void keepEncoded(byte[] events) {
        encoded = events;
    }

    long eventBytes(int index) {
        Change change = change(index);
        byte[] before = previous(index);
        return ResponseSize.event(change.delete(), change.keyValue().length, before == null ? -1 : before.length);
    }

    EventBatch part(int fromIndex, int toIndex) {
        return new EventBatch(changes, previous, from + fromIndex, from + toIndex);
    }

    private int checked(int index) {
        if (index < 0 || index >= to - from) {
            throw new IndexOutOfBoundsException(index);
        }
        return index;
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.apply;

import dev.nightjar.core.mvcc.ChangedKeys;
import dev.nightjar.core.mvcc.RangeQuery;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Key-values of an answer that are read when it is sent. Immutable once the command has been carried out.
 *
 * @param operation which operation of the command they belong to, counted from 0 as they are carried out
 * @param query at a revision; what is not asked at an older one is read as it was before the command
 * @param written what the command has written, in order
 * @param writtenBefore how much of that before this operation
 * @param tag of the field that each key-value becomes
 * @param totals whether {@code more} and {@code count} follow
 */
record DeferredRead(
        int operation, RangeQuery query, List<Written> written, int writtenBefore, byte tag, boolean totals) {
    static final byte TAG_RANGE_KV = 0x12;
    static final byte TAG_PUT_PREVIOUS = 0x12;
    static final byte TAG_DELETE_PREVIOUS = 0x1a;

    /** A key that was put (the end is empty), or a range that was deleted. */
    record Written(byte[] key, byte[] end) {}

    /** A read of a command that does nothing else. */
    static DeferredRead only(RangeQuery query, byte tag) {
        return new DeferredRead(0, query, List.of(), 0, tag, false);
    }

    /** The keys that are read as they are after the command, null if there are none. */
    @Nullable
    ChangedKeys changed() {
        if (writtenBefore == 0) {
            return null;
        }
        ChangedKeys changed = new ChangedKeys();
        for (Written one : written.subList(0, writtenBefore)) {
            changed.add(one.key(), one.end());
        }
        return changed.touches(query) ? changed : null;
    }
}

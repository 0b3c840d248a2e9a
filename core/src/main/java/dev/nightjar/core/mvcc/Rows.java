/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.mvcc;

import dev.nightjar.core.storage.StoredRecord;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The small state beside the keys: for every type and id the latest body. Apply thread only. */
final class Rows {

    static final int MAX_TYPE = 0xffff;

    private final Map<Integer, TreeMap<byte[], byte[]>> types = new HashMap<>();

    /** Returns the body before, null if there was none. */
    byte @Nullable [] put(int type, byte[] id, byte[] body) {
        return types.computeIfAbsent(type, _ -> new TreeMap<>(Arrays::compareUnsigned))
                .put(id, body);
    }

    /** Returns the body before, null if there was none. */
    byte @Nullable [] remove(int type, byte[] id) {
        TreeMap<byte[], byte[]> rows = types.get(type);
        return rows == null ? null : rows.remove(id);
    }

    byte @Nullable [] get(int type, byte[] id) {
        TreeMap<byte[], byte[]> rows = types.get(type);
        return rows == null ? null : rows.get(id);
    }

    List<Row> all(int type) {
        TreeMap<byte[], byte[]> rows = types.get(type);
        return rows == null
                ? List.of()
                : rows.entrySet().stream()
                        .map(row -> new Row(type, row.getKey(), row.getValue()))
                        .toList();
    }

    static long bytes(byte[] id, byte[] body) {
        return (long) StoredRecord.HEADER_BYTES + id.length + body.length;
    }
}

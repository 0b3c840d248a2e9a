/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.mvcc;

import dev.nightjar.core.storage.Frame;
import dev.nightjar.core.storage.StoredRecord;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The small state beside the keys: for every type and id the latest body. The apply thread changes it, under the write
 * lock of {@link MvccStore}, and reads it; others read under the read lock, but for the sizes.
 *
 * <p>The log keeps every row ever written until it is told that none of them counts: then all that exist are written
 * anew. That is done when the void ones take more room than the others.
 */
final class Rows {

    static final int MAX_TYPE = 0xffff;

    /** Below it a reset is not worth its write. */
    static final long MIN_VOID_BYTES = 1 << 20;

    private final TreeMap<Integer, TreeMap<byte[], byte[]>> types = new TreeMap<>();
    private volatile long liveBytes;
    private long voidBytes;

    void put(int type, byte[] id, byte[] body) {
        byte[] before = types.computeIfAbsent(type, _ -> new TreeMap<>(Arrays::compareUnsigned))
                .put(id, body);
        exchange(before == null ? 0 : bytes(id, before), bytes(id, body));
    }

    void remove(int type, byte[] id) {
        TreeMap<byte[], byte[]> rows = types.get(type);
        byte[] before = rows == null ? null : rows.remove(id);
        if (before != null) {
            exchange(bytes(id, before), 0);
            voidBytes += bytes(id, NOTHING);
        }
    }

    private static final byte[] NOTHING = {};

    private void exchange(long gone, long come) {
        long live = liveBytes;
        liveBytes = live - gone + come;
        voidBytes += gone;
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

    /** The first row of a piece: of that type and id, or the next one behind. */
    record Cursor(int type, byte[] id) {}

    /**
     * Collects some rows from a cursor on, in order.
     *
     * @return where to go on, null if that were all
     */
    @Nullable
    Cursor piece(Cursor from, int limit, List<Row> target) {
        for (var each : types.tailMap(from.type, true).entrySet()) {
            byte[] first = each.getKey() == from.type ? from.id : new byte[0];
            for (var row : each.getValue().tailMap(first, true).entrySet()) {
                if (target.size() == limit) {
                    return new Cursor(each.getKey(), row.getKey());
                }
                target.add(new Row(each.getKey(), row.getKey(), row.getValue()));
            }
        }
        return null;
    }

    /** Bytes of the records of all rows that exist. Any thread. */
    long liveBytes() {
        return liveBytes;
    }

    boolean isResetDue() {
        return voidBytes > Math.max(MIN_VOID_BYTES, liveBytes);
    }

    /** Writes all rows anew behind a mark that makes those before it void. */
    void reset(Frame frame) {
        frame.rowsReset();
        types.forEach((type, rows) -> rows.forEach((id, body) -> frame.row(type, id, body)));
        voidBytes = 0;
    }

    /** Such a mark was read. */
    void clear() {
        types.clear();
        liveBytes = 0;
        voidBytes = 0;
    }

    private static long bytes(byte[] id, byte[] body) {
        return (long) StoredRecord.HEADER_BYTES + id.length + body.length;
    }
}

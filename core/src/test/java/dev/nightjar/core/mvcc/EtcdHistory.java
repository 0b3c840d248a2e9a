/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.mvcc;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.zip.CRC32C;

/**
 * A history as etcd stores and hashes it, written down as plainly as possible: compaction takes records away at once, and
 * a hash goes over those that are left.
 */
final class EtcdHistory {

    private record Position(long main, long sub) implements Comparable<Position> {
        @Override
        public int compareTo(Position other) {
            return main == other.main ? Long.compare(sub, other.sub) : Long.compare(main, other.main);
        }
    }

    private record Entry(byte[] key, boolean tombstone, byte[] stored) {}

    private final TreeMap<Position, Entry> records = new TreeMap<>();
    private final TreeMap<Long, KvHash> compactions = new TreeMap<>();
    private long compacted = -1;

    void put(Model.Entry entry, long sub) {
        records.put(new Position(entry.mod(), sub), new Entry(entry.key(), false, keyValue(entry)));
    }

    void delete(Model.Entry entry, long sub) {
        ByteArrayOutputStream stored = new ByteArrayOutputStream();
        KeyValues.bytes(stored, 1, entry.key());
        records.put(new Position(entry.mod(), sub), new Entry(entry.key(), true, stored.toByteArray()));
    }

    void compact(long revision) {
        Set<Position> keep = newest(revision);
        keep.removeIf(at -> tombstone(at) && at.main < revision);
        compactions.put(revision, new KvHash(digest(revision, keep), compacted, revision));
        if (compactions.size() > 10) {
            compactions.pollFirstEntry();
        }
        records.keySet().removeIf(at -> at.main <= revision && !keep.contains(at));
        compacted = revision;
    }

    /** What is known of compactions is gone. */
    void restart() {
        compactions.clear();
    }

    KvHash hash(long revision) {
        KvHash known = compactions.get(revision);
        return known == null ? compute(revision) : known;
    }

    /** The hash over what is left, also if that of a compaction is known. */
    KvHash compute(long revision) {
        Set<Position> keep = newest(revision);
        keep.removeIf(this::tombstone);
        return new KvHash(digest(revision, keep), compacted, revision);
    }

    private boolean tombstone(Position at) {
        return Objects.requireNonNull(records.get(at)).tombstone();
    }

    /** The newest record of each key at or below a revision. */
    private Set<Position> newest(long revision) {
        TreeMap<byte[], Position> byKey = new TreeMap<>(Arrays::compareUnsigned);
        records.headMap(new Position(revision + 1, 0)).forEach((at, entry) -> byKey.put(entry.key(), at));
        return new HashSet<>(byKey.values());
    }

    private int digest(long revision, Set<Position> keep) {
        CRC32C crc = new CRC32C();
        crc.update("key".getBytes(StandardCharsets.UTF_8));
        for (Map.Entry<Position, Entry> each : records.entrySet()) {
            Position at = each.getKey();
            boolean superseded = at.main <= compacted && !keep.isEmpty() && !keep.contains(at);
            boolean oldTombstone = at.main == compacted && each.getValue().tombstone();
            if (at.main <= revision && !superseded && !oldTombstone) {
                crc.update(ByteBuffer.allocate(17)
                        .putLong(at.main)
                        .put((byte) '_')
                        .putLong(at.sub)
                        .flip());
                if (each.getValue().tombstone()) {
                    crc.update('t');
                }
                crc.update(each.getValue().stored());
            }
        }
        return (int) crc.getValue();
    }

    private static byte[] keyValue(Model.Entry entry) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        KeyValues.bytes(out, 1, entry.key());
        KeyValues.number(out, 2, entry.create());
        KeyValues.number(out, 3, entry.mod());
        KeyValues.number(out, 4, entry.version());
        KeyValues.bytes(out, 5, entry.value());
        KeyValues.number(out, 6, entry.lease());
        return out.toByteArray();
    }
}

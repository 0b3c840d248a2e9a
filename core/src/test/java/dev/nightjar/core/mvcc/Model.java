/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.mvcc;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What the store has to do, written down as plainly as possible: for every key all its changes, for ever. */
final class Model {

    /** One key at one revision; {@code version} 0 is a tombstone. */
    record Entry(byte[] key, byte[] value, long create, long mod, long version, long lease) {
        boolean exists() {
            return version > 0;
        }
    }

    /** A change as a watcher sees it. */
    record Event(Entry now, @Nullable Entry before) {}

    private final TreeMap<byte[], TreeMap<Long, Entry>> keys = new TreeMap<>(Arrays::compareUnsigned);
    final List<Event> events = new ArrayList<>();
    long revision = 1;
    long compacted = -1;

    Entry put(byte[] key, byte[] value, long lease) {
        long at = revision + 1;
        Entry before = get(key, at);
        Entry now = before == null
                ? new Entry(key, value, at, at, 1, lease)
                : new Entry(key, value, before.create, at, before.version + 1, lease);
        change(now, before);
        return now;
    }

    List<Entry> delete(byte[] key, byte[] end) {
        List<Entry> deleted = range(key, end, revision + 1);
        deleted.forEach(before -> change(new Entry(before.key, new byte[0], 0, revision + 1, 0, 0), before));
        return deleted;
    }

    private void change(Entry now, @Nullable Entry before) {
        keys.computeIfAbsent(now.key, _ -> new TreeMap<>()).put(now.mod, now);
        events.add(new Event(now, before));
    }

    @Nullable
    Entry get(byte[] key, long at) {
        TreeMap<Long, Entry> changes = keys.get(key);
        Map.Entry<Long, Entry> newest = changes == null ? null : changes.floorEntry(at);
        return newest == null || !newest.getValue().exists() ? null : newest.getValue();
    }

    List<Entry> range(byte[] key, byte[] end, long at) {
        List<Entry> found = new ArrayList<>();
        for (byte[] each : select(key, end)) {
            Entry entry = get(each, at);
            if (entry != null) {
                found.add(entry);
            }
        }
        return found;
    }

    private Set<byte[]> select(byte[] key, byte[] end) {
        if (end.length == 0) {
            return keys.subMap(key, true, key, true).keySet();
        }
        if (end.length == 1 && end[0] == 0) {
            return keys.tailMap(key, true).keySet();
        }
        return Arrays.compareUnsigned(key, end) >= 0
                ? Set.of()
                : keys.subMap(key, true, end, false).keySet();
    }

    /** The keys of an answer. */
    List<Entry> answer(RangeQuery query, long at) {
        List<Entry> found = range(query.key(), query.end(), at);
        RangeQuery.RevisionFilter filter = query.filter();
        found.removeIf(entry -> (filter.minModRevision() != 0 && entry.mod < filter.minModRevision())
                || (filter.maxModRevision() != 0 && entry.mod > filter.maxModRevision())
                || (filter.minCreateRevision() != 0 && entry.create < filter.minCreateRevision())
                || (filter.maxCreateRevision() != 0 && entry.create > filter.maxCreateRevision()));
        Comparator<Entry> order = switch (query.sort().target()) {
            case KEY -> (one, other) -> Arrays.compareUnsigned(one.key, other.key);
            case VERSION -> Comparator.comparingLong(Entry::version);
            case CREATE -> Comparator.comparingLong(Entry::create);
            case MOD -> Comparator.comparingLong(Entry::mod);
            case VALUE -> (one, other) -> Arrays.compareUnsigned(one.value, other.value);
        };
        found.sort(query.sort().order() == RangeQuery.SortOrder.DESCEND ? order.reversed() : order);
        return found;
    }
}

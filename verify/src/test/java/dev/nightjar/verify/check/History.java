/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.check;

import com.google.protobuf.ByteString;
import dev.nightjar.api.mvccpb.Event;
import dev.nightjar.api.mvccpb.KeyValue;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What happened to a store, one revision after the other, told by those who wrote: a model that is replayed to know every
 * event with its full content and its previous key-value. Not thread safe.
 *
 * <p>A fresh store is at revision 1, so the first transaction makes revision 2:
 *
 * <pre>
 * history.apply(2, put("a", "x"));               PUT a=x     create 2, version 1
 * history.apply(3, put("a", "y"), delete("b"));  PUT a=y     create 2, version 2, previous a=x; b does not exist: no event
 * history.apply(4, delete("a"));                 DELETE a    previous a=y
 * </pre>
 */
public final class History {
    private final NavigableMap<Long, List<Event>> revisions = new TreeMap<>();
    private final SortedMap<ByteString, KeyValue> live = new TreeMap<>(ByteString.unsignedLexicographicalComparator());
    private long compactedRevision;

    /** The newest revision. */
    public long revision() {
        return revisions.isEmpty() ? 1 : revisions.lastKey();
    }

    /** The highest revision that a compaction was accepted for, 0 before the first. */
    public long compactedRevision() {
        return compactedRevision;
    }

    /** Notes an accepted compaction: what lies below may be missing from now on. */
    public void compacted(long revision) {
        compactedRevision = Math.max(compactedRevision, revision);
    }

    public void apply(long revision, Operation... operations) {
        apply(revision, Arrays.asList(operations));
    }

    /** Replays the transaction that made {@code revision}, which must be the next one and must change something. */
    public void apply(long revision, List<Operation> operations) {
        if (revision != revision() + 1) {
            throw new IllegalArgumentException("revision " + revision + " after " + revision());
        }
        List<Event> events = preview(operations);
        if (events.isEmpty()) {
            throw new IllegalArgumentException("revision " + revision + " by a transaction that changes nothing");
        }
        for (Event event : events) {
            KeyValue kv = event.getKv();
            if (event.getType() == Event.EventType.PUT) {
                live.put(kv.getKey(), kv);
            } else {
                live.remove(kv.getKey());
            }
        }
        revisions.put(revision, events);
    }

    /** The events that a transaction would make as the next revision; none if it would change nothing. */
    public List<Event> preview(List<Operation> operations) {
        long revision = revision() + 1;
        List<Event> events = new ArrayList<>();
        Map<ByteString, @Nullable KeyValue> changed = new HashMap<>();
        for (Operation operation : operations) {
            switch (operation) {
                case Operation.Put(ByteString key, ByteString value) -> {
                    Event event = put(revision, current(key, changed), key, value);
                    changed.put(key, event.getKv());
                    events.add(event);
                }
                case Operation.Delete(KeyRange range) -> {
                    SortedMap<ByteString, KeyValue> now = new TreeMap<>(live);
                    changed.forEach((key, kv) -> {
                        if (kv == null) {
                            now.remove(key);
                        } else {
                            now.put(key, kv);
                        }
                    });
                    now.values().stream()
                            .filter(kv -> range.contains(kv.getKey()))
                            .forEach(kv -> {
                                changed.put(kv.getKey(), null);
                                events.add(delete(revision, kv));
                            });
                }
            }
        }
        return events;
    }

    private @Nullable KeyValue current(ByteString key, Map<ByteString, @Nullable KeyValue> changed) {
        return changed.containsKey(key) ? changed.get(key) : live.get(key);
    }

    private static Event put(long revision, @Nullable KeyValue previous, ByteString key, ByteString value) {
        KeyValue kv = KeyValue.newBuilder()
                .setKey(key)
                .setValue(value)
                .setCreateRevision(previous == null ? revision : previous.getCreateRevision())
                .setModRevision(revision)
                .setVersion(previous == null ? 1 : previous.getVersion() + 1)
                .build();
        Event.Builder event = Event.newBuilder().setKv(kv);
        return previous == null ? event.build() : event.setPrevKv(previous).build();
    }

    private static Event delete(long revision, KeyValue previous) {
        return Event.newBuilder()
                .setType(Event.EventType.DELETE)
                .setKv(KeyValue.newBuilder().setKey(previous.getKey()).setModRevision(revision))
                .setPrevKv(previous)
                .build();
    }

    /** The events of one revision, in order, each with its previous key-value. */
    public List<Event> at(long revision) {
        return revisions.getOrDefault(revision, List.of());
    }

    /** The events of the revisions {@code from} to {@code to}, both included, that fit. */
    public List<Event> between(long from, long to, Predicate<Event> wanted) {
        if (from > to) {
            return List.of();
        }
        return revisions.subMap(from, true, to, true).values().stream()
                .flatMap(List::stream)
                .filter(wanted)
                .toList();
    }

    /** What exists at the newest revision, by key. */
    public SortedMap<ByteString, KeyValue> live() {
        return new TreeMap<>(live);
    }
}

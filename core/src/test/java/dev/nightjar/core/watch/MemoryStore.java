/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.watch;

import com.google.protobuf.ByteString;
import dev.nightjar.core.mvcc.Change;
import dev.nightjar.core.mvcc.ChangeSource;
import dev.nightjar.core.mvcc.RevisionChanges;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A store in memory with its whole history; any thread. Hostile on request: history that is compacted is really gone,
 * a scan may stop short, and reading may fail.
 */
final class MemoryStore implements ChangeSource {
    /** One operation of a transaction; a null value deletes. */
    record Op(String key, @Nullable String value) {}

    private final List<@Nullable Change> records = new ArrayList<>();
    private final List<Change> log = new ArrayList<>();
    private final NavigableMap<String, StoredValue> live = new TreeMap<>();
    private final NavigableMap<String, Integer> places = new TreeMap<>();
    private volatile long published = 1;
    private volatile long compacted = -1;
    private @Nullable RuntimeException scanFailure;
    private int scanLimit = Integer.MAX_VALUE;
    private Runnable duringScan = () -> {};
    private int scans;
    private int scannedChanges;

    @Override
    public long publishedRevision() {
        return published;
    }

    @Override
    public long compactedRevision() {
        return compacted;
    }

    /** Executes a transaction at the next revision, unpublished; empty if nothing changes. */
    synchronized List<Change> write(List<Op> ops) {
        List<Change> changes = new ArrayList<>();
        long revision = published + 1;
        for (Op op : ops) {
            StoredValue before = live.get(op.key());
            String value = op.value();
            if (value == null && before == null) {
                continue;
            }
            StoredValue next = value == null
                    ? new StoredValue(bytes(op.key()), 0, revision, 0, ByteString.EMPTY)
                    : new StoredValue(
                            bytes(op.key()),
                            before == null ? revision : before.createRevision(),
                            revision,
                            before == null ? 1 : before.version() + 1,
                            bytes(value));
            int previousPlace = before == null ? 0 : places.getOrDefault(op.key(), 0);
            Change change = new Change(revision, value == null, next.key().toByteArray(), next.encode(), previousPlace);
            changes.add(change);
            records.add(change);
            log.add(change);
            if (value == null) {
                live.remove(op.key());
                places.remove(op.key());
            } else {
                live.put(op.key(), next);
                places.put(op.key(), records.size());
            }
        }
        return changes;
    }

    synchronized void publish() {
        published = published + 1;
    }

    synchronized List<String> keys(String from, String to) {
        return List.copyOf(live.subMap(from, to).keySet());
    }

    void compact(long revision) {
        if (revision <= compacted || revision > published) {
            throw new IllegalArgumentException("cannot compact " + revision);
        }
        compacted = revision;
    }

    /** Really takes away what the compaction made superfluous. */
    synchronized void dropCompacted() {
        Map<String, Integer> latest = new TreeMap<>();
        for (int i = 0; i < records.size(); i++) {
            Change change = records.get(i);
            if (change == null || change.revision() > compacted) {
                continue;
            }
            String key = ByteString.copyFrom(change.key()).toStringUtf8();
            Integer superseded = latest.put(key, i);
            if (superseded != null) {
                records.set(superseded, null);
            }
            if (change.delete() && change.revision() < compacted) {
                records.set(i, null);
            }
        }
    }

    /** Everything that ever happened, whatever is compacted; for the test to compare with. */
    List<Change> log() {
        return log;
    }

    /** What a key held at a revision, null if it did not exist. */
    byte @Nullable [] valueAt(byte[] key, long revision) {
        for (int i = log.size() - 1; i >= 0; i--) {
            Change change = log.get(i);
            if (change.revision() <= revision && Arrays.equals(change.key(), key)) {
                return change.delete() ? null : change.keyValue();
            }
        }
        return null;
    }

    void failScans(@Nullable RuntimeException failure) {
        scanFailure = failure;
    }

    /** Does something in the middle of the next scan that finds anything. */
    void duringScan(Runnable action) {
        duringScan = action;
    }

    /** Scans stop of themselves after so many changes, at the next revision. */
    void limitScans(int changes) {
        scanLimit = changes;
    }

    int scans() {
        return scans;
    }

    int scannedChanges() {
        return scannedChanges;
    }

    @Override
    public long scan(long fromRevision, long toRevision, Visitor visitor) {
        if (toRevision > published) {
            throw new IllegalArgumentException(toRevision + " is not published");
        }
        if (scanFailure != null) {
            throw scanFailure;
        }
        scans++;
        if (fromRevision < compacted) {
            return -1;
        }
        int shown = 0;
        long last = 0;
        Runnable action = duringScan;
        duringScan = () -> {};
        action.run();
        for (Change change : copy(fromRevision, toRevision)) {
            if (shown >= scanLimit && change.revision() != last) {
                return change.revision();
            }
            if (!visitor.visit(change)) {
                return change.revision();
            }
            shown++;
            scannedChanges++;
            last = change.revision();
        }
        return toRevision + 1;
    }

    private synchronized List<Change> copy(long from, long to) {
        List<Change> copy = new ArrayList<>();
        for (Change change : records) {
            if (change != null && change.revision() >= from && change.revision() <= to) {
                copy.add(new Change(
                        change.revision(), change.delete(), change.key(), change.keyValue(), change.previousPlace()));
            }
        }
        return copy;
    }

    @Override
    public int previousLength(Change change) {
        byte[] previous = previous(change);
        return previous == null ? -1 : previous.length;
    }

    @Override
    public synchronized byte @Nullable [] previous(Change change) {
        if (change.previousPlace() == 0) {
            return null;
        }
        Change record = records.get((int) change.previousPlace() - 1);
        return record == null ? null : record.keyValue();
    }

    @Override
    public synchronized @Nullable RevisionChanges revision(long revision) {
        if (scanFailure != null) {
            throw scanFailure;
        }
        scans++;
        if (revision < compacted) {
            return null;
        }
        List<Change> changes = copy(revision, revision);
        Map<Long, byte[]> before = new HashMap<>();
        for (Change change : changes) {
            byte[] previous = previous(change);
            if (previous != null) {
                before.put(change.previousPlace(), previous);
            }
        }
        return new ListedChanges(changes, change -> before.get(change.previousPlace()));
    }

    /** Bytes of a text in which {@code \xNN} stands for one byte. */
    static ByteString bytes(String text) {
        ByteString.Output out = ByteString.newOutput();
        for (int i = 0; i < text.length(); i++) {
            if (text.startsWith("\\x", i)) {
                out.write(Integer.parseInt(text, i + 2, i + 4, 16));
                i += 3;
            } else {
                out.write(text.charAt(i));
            }
        }
        return out.toByteString();
    }

    static String text(ByteString bytes) {
        StringBuilder text = new StringBuilder();
        for (byte b : bytes.toByteArray()) {
            if (b >= ' ' && b < 127) {
                text.append((char) b);
            } else {
                text.append("\\x%02x".formatted(b & 0xff));
            }
        }
        return text.toString();
    }
}

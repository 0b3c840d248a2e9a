/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.watch;

import dev.nightjar.core.mvcc.Change;
import dev.nightjar.core.mvcc.ChangeSource;
import dev.nightjar.core.mvcc.RevisionChanges;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A store whose whole history follows from a rule, so that it needs neither memory nor locks: revision r puts key
 * {@code k<r modulo KEYS>}, and every fifth revision also changes {@code five} many times. Values are revisions. History that is
 * compacted during a scan disappears under it. Any thread reads, one writes.
 */
final class SequenceStore implements ChangeSource {
    static final int KEYS = 7;
    static final int FIVE = 5;
    static final int MANY = 10;

    private volatile long published = 1;
    private volatile long compacted = -1;

    static byte[] key(long revision) {
        return new byte[] {'k', (byte) ('0' + revision % KEYS)};
    }

    static byte[] five() {
        return new byte[] {'f', 'i', 'v', 'e'};
    }

    static List<Change> changes(long revision) {
        List<Change> changes = new ArrayList<>(1 + MANY);
        changes.add(change(revision, key(revision), KEYS));
        for (int i = 0; i < MANY && revision % FIVE == 0; i++) {
            changes.add(change(revision, five(), FIVE));
        }
        return changes;
    }

    private static Change change(long revision, byte[] key, int period) {
        return new Change(revision, false, key, value(revision), revision > period + 1 ? revision - period : 0);
    }

    static byte[] value(long revision) {
        return ByteBuffer.allocate(Long.BYTES).putLong(revision).array();
    }

    void publish(long revision) {
        published = revision;
    }

    void compact(long revision) {
        compacted = revision;
    }

    @Override
    public long publishedRevision() {
        return published;
    }

    @Override
    public long compactedRevision() {
        return compacted;
    }

    @Override
    public long scan(long fromRevision, long toRevision, Visitor visitor) {
        if (fromRevision < compacted) {
            return -1;
        }
        for (long revision = fromRevision; revision <= toRevision; revision++) {
            for (Change change : changes(revision)) {
                boolean superseded = revision + KEYS <= compacted;
                if (!superseded && !visitor.visit(change)) {
                    return revision;
                }
            }
        }
        return toRevision + 1;
    }

    @Override
    public @Nullable RevisionChanges revision(long revision) {
        return revision < compacted ? null : new ListedChanges(changes(revision), this::previous);
    }

    @Override
    public int previousLength(Change change) {
        byte[] previous = previous(change);
        return previous == null ? -1 : previous.length;
    }

    @Override
    public byte @Nullable [] previous(Change change) {
        return change.previousPlace() == 0 ? null : value(change.previousPlace());
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.mvcc;

import dev.nightjar.core.storage.RecordStore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The store from one revision on, kept from compaction until it is closed: whatever is read at that revision or a later one
 * is found as it was. Costs nothing but what compaction may not forget meanwhile, see {@link #holdsCompaction}. Any thread.
 */
public final class ReadView implements AutoCloseable {

    private final MvccStore store;
    private final RangeReader.Source published;
    private final long revision;
    private final AtomicBoolean open = new AtomicBoolean(true);

    /** Takes over a pin of the revision. */
    ReadView(MvccStore store, RangeReader.Source published, long revision) {
        this.store = store;
        this.published = published;
        this.revision = revision;
    }

    /** The lowest revision that can be read. */
    public long revision() {
        return revision;
    }

    /**
     * Another view, of the same revisions or from a lower one on; to be closed as well.
     *
     * @throws RevisionCompactedException if the lower revision is below the compacted one
     */
    public ReadView from(long lowest) {
        if (lowest < revision) {
            return store.view(lowest);
        }
        store.pins().pin(revision);
        return new ReadView(store, published, revision);
    }

    /** Reads a range at a published revision of the view. */
    public RangeResult range(RangeQuery query) {
        return new RangeReader(store, new Source(null), query).read();
    }

    /** Shows the keys of a range, in their order, until the visitor returns false; in memory that does not grow with them. */
    public void walk(RangeQuery query, Predicate<KvView> visitor) {
        new RangeReader(store, new Source(null), query).walk(visitor);
    }

    /**
     * Finds and measures the answer to a range of any length, as {@link MvccStore#cursor} does.
     *
     * @param query at a published revision of the view
     * @param changed keys that are read at the revision after that one; null for none
     * @throws ReadTooLargeException if the budget has no room
     */
    public RangeCursor cursor(RangeQuery query, @Nullable ChangedKeys changed, MemoryBudget budget) {
        return new RangeCursor(store, new Source(changed), query).measure(budget);
    }

    /** Whether a compaction has passed the view's revision, and cannot do its work because of it. */
    public boolean holdsCompaction() {
        return open.get() && store.compactedRevision() > revision;
    }

    /** Lets compaction pass. Further calls do nothing. */
    @Override
    public void close() {
        if (open.getAndSet(false)) {
            store.pins().unpin(revision);
        }
    }

    /** The published state, with revisions that compaction has passed. */
    private final class Source implements RangeReader.Source {
        private final @Nullable ChangedKeys changed;

        Source(@Nullable ChangedKeys changed) {
            this.changed = changed;
        }

        @Override
        public RecordStore.Places places() {
            return published.places();
        }

        @Override
        public long newestRevision() {
            return published.newestRevision();
        }

        @Override
        public int countNewest(byte[] from, byte @Nullable [] end) {
            return changed == null ? published.countNewest(from, end) : RangeWalk.UNKNOWN;
        }

        @Override
        public RecordStore.@Nullable Snapshot log() {
            return published.log();
        }

        @Override
        public boolean keeps(long asked) {
            return asked >= revision;
        }

        @Override
        public @Nullable ChangedKeys changed() {
            return changed;
        }
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.mvcc;

import dev.nightjar.core.storage.CorruptStoreException;
import dev.nightjar.core.storage.FrameInfo;
import dev.nightjar.core.storage.ImageReader;
import dev.nightjar.core.storage.RecordStore;
import dev.nightjar.core.storage.RecordType;
import dev.nightjar.core.storage.StoredRecord;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.StampedLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The keys and their history. The apply thread writes; any thread reads, at the published revision; one maintenance
 * thread compacts.
 *
 * <pre>
 *   apply thread      begin … put, delete … end      any number of transactions: index and frame under construction
 *                     commit                         one write: all of it is on disk, nobody sees it yet
 *                     publish                        readers see it
 *
 *   currentRevision   moves with end
 *   publishedRevision, compactedRevision, appliedIndex, keyCount   move with publish, together
 * </pre>
 *
 * The index is ahead of what readers may see. They do not notice, because they read at a revision: an entry with a
 * newer change leads them to the older one.
 */
public final class MvccStore implements ChangeSource, AutoCloseable {

    /** For those who open a store with no thread beside their own. */
    static final Executor NO_HELPER = task -> {};

    private final RecordStore records;
    private final KeyIndex index;
    /**
     * Guards the index, the rows, {@link #unpublished} and the step of all published figures to the next batch. The writer holds
     * it for one key, compaction for one page (tens of microseconds), a reader for {@link KeyScan#CHUNK_ENTRIES}
     * entries.
     */
    private final StampedLock lock = new StampedLock();

    private final ReadPins pins = new ReadPins();
    private final UnpublishedCounts unpublished = new UnpublishedCounts();
    private final PublishedSource published;
    private final ReplacedRecords replaced;
    private final Compaction compaction;
    private final CompactionHashes compactionHashes;
    /** Bytes of the changes that somebody can still reach. */
    private final AtomicLong bytesInUse = new AtomicLong();

    // Apply thread.
    private final Rows rows;
    private final WriteBatch batch;

    // Moved by publish.
    private volatile FrameInfo visible;
    private volatile long keyCount;

    private MvccStore(RecordStore records, KeyIndex index, Rows rows) {
        this.records = records;
        this.index = index;
        this.rows = rows;
        this.batch = new WriteBatch(records, rows);
        this.visible = batch.current();
        this.replaced = new ReplacedRecords(records, index, lock);
        this.published = new PublishedSource(this, records);
        this.compactionHashes = new CompactionHashes(this, records, CompactionHashes.MOST_BYTES);
        this.compaction = new Compaction(this, records, bytesInUse, compactionHashes);
    }

    /**
     * Opens the store over its records, which it owns from now on, and rebuilds the index: from its image as far as that
     * goes, and from the records behind.
     *
     * @throws IOException if they cannot be read, or not be given back after a failure
     */
    public static MvccStore open(RecordStore records) throws IOException {
        return open(records, NO_HELPER);
    }

    /**
     * The same with some help.
     *
     * @param helper runs short tasks beside the caller, late if it has to
     */
    public static MvccStore open(RecordStore records, Executor helper) throws IOException {
        MvccStore store = null;
        boolean opened = false;
        try {
            IndexImageReader.Loaded image = loadImage(records, helper);
            store = image == null
                    ? new MvccStore(records, new KeyIndex(), new Rows())
                    : new MvccStore(records, image.index(), image.rows());
            store.replay(image);
            opened = true;
            return store;
        } finally {
            if (!opened) {
                if (store != null) {
                    store.index.close();
                }
                records.close();
            }
        }
    }

    private static IndexImageReader.@Nullable Loaded loadImage(RecordStore records, Executor helper)
            throws IOException {
        try (ImageReader image = records.image()) {
            return image == null ? null : IndexImageReader.load(image, helper);
        } catch (CorruptStoreException e) {
            records.rejectImage(e);
            return null;
        }
    }

    private void replay(IndexImageReader.@Nullable Loaded image) {
        StoreReplay replay = new StoreReplay(index, rows);
        records.replay(replay);
        bytesInUse.set(records.changeBytesInUse());
        compaction.forgetAll(image == null ? -1 : image.forgottenRevision());
        keyCount = index.count();
    }

    // ---- any thread

    @Override
    public long publishedRevision() {
        return visible.revision();
    }

    @Override
    public long compactedRevision() {
        return visible.compactedRevision();
    }

    /** Log index of the newest command whose effects are published. */
    public long appliedIndex() {
        return visible.appliedIndex();
    }

    /** Log term of that command. */
    public long appliedTerm() {
        return visible.appliedTerm();
    }

    /** Number of keys that exist at the published revision. */
    public long keyCount() {
        return keyCount;
    }

    /** Bytes of all records on disk. */
    public long sizeBytes() {
        return records.sizeBytes();
    }

    /** Bytes of the records that a reader can still reach. */
    public long sizeInUseBytes() {
        return bytesInUse.get() + rows.liveBytes();
    }

    /**
     * Reads a range.
     *
     * @throws RevisionCompactedException if the asked revision is below the compacted one
     * @throws FutureRevisionException if the asked revision is above the published one
     */
    public RangeResult range(RangeQuery query) {
        return new RangeReader(this, published, query).read();
    }

    /** Whether the number of keys in a range is known at once at the published revision; if not, it takes a walk. */
    public boolean countsQuickly() {
        return !unpublished.isLost();
    }

    /**
     * Finds and measures the answer to a range of any length; to be closed.
     *
     * @param budget for what an answer takes that is not in the order of keys
     * @throws RevisionCompactedException as {@link #range}
     * @throws FutureRevisionException as {@link #range}
     * @throws ReadTooLargeException if the budget has no room
     */
    public RangeCursor cursor(RangeQuery query, MemoryBudget budget) {
        return new RangeCursor(this, published, query).measure(budget);
    }

    /**
     * Keeps a revision from compaction, also one that is written but not published yet; to be closed.
     *
     * @param revision 0 for the published one
     * @throws RevisionCompactedException if the revision is below the compacted one
     */
    public ReadView view(long revision) {
        long stamp = lock.readLock();
        try {
            long kept = revision == 0 ? publishedRevision() : revision;
            if (kept < compactedRevision()) {
                throw new RevisionCompactedException(compactedRevision());
            }
            pins.pin(kept);
            return new ReadView(this, published, kept);
        } finally {
            lock.unlockRead(stamp);
        }
    }

    /**
     * {@link #cursor} for an answer that takes a look at few keys only; null if it takes more than {@code mostKeys}, or if
     * that is not known at once. Finding that out is cheap.
     */
    public @Nullable RangeCursor shortCursor(RangeQuery query, long mostKeys, MemoryBudget budget) {
        RangeCursor cursor =
                new RangeCursor(this, published, query).lookingAtMost(mostKeys).measure(budget);
        return cursor.gaveUp() ? null : cursor;
    }

    /**
     * Finds and measures the first keys of a range, in key order.
     *
     * @param query without filter, with a limit up to {@link RangeCursor#KEPT_PLACES}
     * @param targetBytes where the piece ends, with the key that brings it there
     * @param counts whether the count of the whole range is wanted
     * @throws RevisionCompactedException as {@link #range}
     * @throws FutureRevisionException as {@link #range}
     */
    public RangeCursor piece(RangeQuery query, long targetBytes, boolean counts) {
        return new RangeCursor(this, published, query).measurePiece(targetBytes, counts);
    }

    /**
     * Digests the keys and their history up to a revision; up to one below 0 there is none. Of the ten newest compactions
     * the hash is known, and covers what each of them took away. Otherwise everything up to the revision is read.
     *
     * @param revision 0 for the published one, which is read even if it has been compacted to
     * @param canceled looked at every few milliseconds: whether nobody wants the hash any more
     * @throws RevisionCompactedException as {@link #range}
     * @throws FutureRevisionException as {@link #range}
     * @throws java.util.concurrent.CancellationException if nobody wanted it any more
     */
    public KvHash hash(long revision, BooleanSupplier canceled) {
        KvHash known = revision == 0 ? null : compactionHashes.find(revision);
        return known == null ? KvHash.of(this, published, revision, canceled) : known;
    }

    @Override
    public long scan(long fromRevision, long toRevision, Visitor visitor) {
        // First the records, then the check: what compaction takes away later is still in the snapshot.
        RecordStore.Snapshot snapshot = records.snapshot();
        if (fromRevision < compactedRevision()) {
            return -1;
        }
        return snapshot.scan(fromRevision, toRevision, record -> visitor.visit(change(record)));
    }

    @Override
    public @Nullable RevisionChanges revision(long revision) {
        RecordStore.Snapshot snapshot = records.snapshot();
        return revision < compactedRevision() ? null : new StoredRevision(snapshot, replaced, revision);
    }

    static Change change(StoredRecord record) {
        return new Change(
                record.revision(),
                record.type() == RecordType.TOMBSTONE,
                record.key(),
                record.body(),
                record.previousPlace());
    }

    @Override
    public byte @Nullable [] previous(Change change) {
        return replaced.previous(change);
    }

    @Override
    public int previousLength(Change change) {
        return replaced.previousLength(change);
    }

    /**
     * Makes everything written so far durable.
     *
     * @return the applied index that survives a power loss from now on
     */
    public long sync() throws IOException {
        return records.sync();
    }

    /** The revision up to which superseded history has been forgotten physically, -1 if there was no compaction. */
    public long compactionDoneRevision() {
        return compaction.doneRevision();
    }

    /**
     * Does one bounded piece of the physical compaction: forgets superseded history at or below the compacted
     * revision, but for what a running read still looks at. For one thread at a time.
     *
     * @param mostRecords after so many the piece ends soon, whatever its size
     * @return whether to go on at once; if not, and {@link #compactionDoneRevision} is still below the compacted
     *     revision, long reads are in the way
     */
    public boolean compactStep(long mostRecords) {
        return compaction.forgetStep(mostRecords);
    }

    /** The hash that is kept of a compaction, null if there is none. */
    public @Nullable KvHash compactionHash(long revision) {
        return compactionHashes.find(revision);
    }

    /**
     * Does one bounded piece of the work of giving back the disk space of what compaction has forgotten. For one thread
     * at a time.
     *
     * @param thorough whether to rewrite files for little gain too, not only those that are half dead
     * @return whether to go on
     * @throws IOException if new files cannot be written; nothing is lost, and the work may be tried again
     */
    public boolean packStep(boolean thorough) throws IOException {
        return compaction.packStep(thorough);
    }

    /** Whether the log has grown so much that a start would take long without a new image of the index. */
    public boolean isImageDue() {
        return compaction.isImageDue();
    }

    /**
     * Does one bounded piece of the work of writing an image of the index; meanwhile {@link #compactStep} and {@link
     * #packStep} do nothing. For one thread at a time.
     *
     * @return whether to go on; false also if the image cannot be begun while files are being packed
     * @throws IOException if the file cannot be written; nothing is lost, and the work may be tried again
     */
    public boolean imageStep() throws IOException {
        return compaction.imageStep();
    }

    /**
     * Puts a durable copy of the store into an existing empty directory on the same file system, by hard links: all that
     * was written before the last {@link #cut}, and perhaps some of what followed. For one thread at a time, the one of
     * the steps.
     */
    public void checkpoint(Path directory) throws IOException {
        records.checkpoint(directory);
    }

    // ---- apply thread

    /** The newest revision written, published or not. */
    public long currentRevision() {
        return batch.current().revision();
    }

    /** Begins a write transaction; the one before must have ended. */
    public WriteTxn begin() {
        return batch.begin(this);
    }

    /** Adds or replaces a row of small state; part of the frame that the next commit writes. */
    public void putRow(int type, byte[] id, byte[] body) {
        if (type < 0 || type > Rows.MAX_TYPE) {
            throw new IllegalArgumentException("row type " + type);
        }
        batch.putRow(this, new Row(type, id, body));
    }

    /** Removes a row; no effect if there is none. */
    public void removeRow(int type, byte[] id) {
        batch.removeRow(this, type, id);
    }

    /** A copy of all rows of a type, ascending by id (unsigned bytes). */
    public List<Row> rows(int type) {
        return rows.all(type);
    }

    /** The compacted revision including what was asked for since the last commit. */
    public long currentCompactedRevision() {
        return batch.current().compactedRevision();
    }

    /**
     * Moves the compacted revision. Takes effect for readers with the next {@link #publish}; space comes back through
     * {@link #compactStep}.
     *
     * @throws RevisionCompactedException if {@code revision} is not above the one compacted before
     * @throws FutureRevisionException if {@code revision} is above {@link #currentRevision}
     */
    public void compact(long revision) {
        long previous = batch.current().compactedRevision();
        batch.compact(revision);
        compactionHashes.asked(previous, revision);
    }

    /** Bytes that the next {@link #commit} will write; 0 if nothing was written since the last. */
    public long uncommittedBytes() {
        return batch.uncommittedBytes();
    }

    /**
     * Writes everything since the last commit as one frame in one write. If nothing was written the applied index is
     * only remembered and gets recorded by a later frame, {@link #checkpoint} or {@link #close}.
     *
     * @return the changes in order; not visible to readers before {@link #publish}. Of a very large batch those up to some
     *     revision may be left out, see {@link Change#isOmission}
     */
    public List<Change> commit(long appliedIndex, long appliedTerm) {
        return batch.commit(appliedIndex, appliedTerm);
    }

    /** Lets readers see everything that was committed. */
    public void publish() {
        batch.requireCommitted();
        long stamp = lock.writeLock();
        try {
            unpublished.clear();
            keyCount = index.count();
            visible = batch.current();
        } finally {
            lock.unlockWrite(stamp);
        }
    }

    /** Draws a line behind everything committed, for a {@link #checkpoint}. Between commit and begin. */
    public void cut() {
        batch.requireCommitted();
        batch.recordAppliedIndex();
        records.cut();
    }

    /**
     * Makes everything committed durable and gives the files back; what was not committed is forgotten. No write may be
     * running or follow; reads fail from now on.
     */
    @Override
    public void close() throws IOException {
        try (records) {
            if (batch.isCommitted()) {
                batch.recordAppliedIndex();
                compaction.writeLastImage();
            } else {
                compaction.abandonImage();
            }
        } finally {
            long stamp = lock.writeLock();
            try {
                index.close();
            } finally {
                lock.unlockWrite(stamp);
            }
        }
    }

    // ---- for the transaction

    void written(long recordBytes) {
        bytesInUse.addAndGet(recordBytes);
    }

    /** What a change replaced, given the place that it had then. */
    KvView replaced(byte[] key, long changeRevision, long place) {
        StoredRecord record = batch.uncommitted(place);
        if (record == null) {
            record = replaced.find(key, changeRevision - 1, place);
        }
        if (record == null) {
            throw new IllegalStateException("the replaced record is gone: " + Long.toHexString(place));
        }
        return new KvView(record);
    }

    Rows rows() {
        return rows;
    }

    WriteBatch batch() {
        return batch;
    }

    StampedLock lock() {
        return lock;
    }

    RecordStore records() {
        return records;
    }

    KeyIndex index() {
        return index;
    }

    ReadPins pins() {
        return pins;
    }

    UnpublishedCounts unpublished() {
        return unpublished;
    }
}

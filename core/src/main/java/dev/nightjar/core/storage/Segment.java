/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.storage;

import dev.nightjar.core.storage.FileSystem.StoreFile;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * One segment file and its read-only map. The apply thread appends to the newest; any thread reads below
 * {@link #end}; {@link SegmentLog} syncs and seals under its sync lock.
 *
 * <p>A map stays valid as long as something refers to it, so records that were handed out outlive their segment. Nobody
 * touches mapped bytes at or beyond {@link #end}: the file may be cut there, or the disk have no room for them.
 */
final class Segment {

    /**
     * Room that is made at once ahead of the frames: a millisecond of zeros, and few enough maps for a segment. The bytes
     * are written, not only promised by the file's length: see {@link StoreFile#map}.
     */
    static final int ROOM_BYTES = 4 << 20;

    /** On a disk that is full, less room than that fails the append: a map of the file has to last for many frames. */
    static final int LEAST_ROOM_BYTES = 256 << 10;

    /** Many frames, and read in no time. */
    private static final int CHECKSUM_BYTES = 64 << 10;

    private static final int ZEROS_BYTES = 64 << 10;

    /** A write that makes no progress this often in a row is an error. */
    private static final int MAX_EMPTY_WRITES = 3;

    /** Change only when a file under construction is finished, before others know the segment. */
    private SegmentHeader header;

    private Path path;
    private final FrameTable table = new FrameTable();
    private @Nullable StoreFile file;
    private volatile MemorySegment memory;
    private volatile long end = SegmentHeader.BYTES;
    private volatile long lastRevision;
    /** Bytes of records that are not changes; of all records. Written by the one that appends. */
    private volatile long rowBytes;

    private volatile long recordBytes;
    /** Bytes of puts and of tombstones that nobody can reach. */
    private final AtomicLong releasedPuts = new AtomicLong();

    private final AtomicLong releasedTombstones = new AtomicLong();
    /** Size of the file up to which room is made ahead of the frames; written by the one that appends. */
    private long targetBytes;

    /** Bytes known to be durable; guarded by the log's sync lock once others know the segment. */
    private long syncedBytes;

    Segment(SegmentHeader header, Path path, StoreFile file, MemorySegment memory) {
        this.header = header;
        this.path = path;
        this.file = file;
        this.memory = memory;
        this.lastRevision = header.before().revision();
    }

    /** Creates a file with nothing but its header, not synced. */
    static Segment create(FileSystem files, Path path, SegmentHeader header) throws IOException {
        StoreFile file = files.open(path, true);
        boolean created = false;
        try {
            writeFully(file, header.encode(), 0);
            Segment segment = new Segment(header, path, file, file.map(SegmentHeader.BYTES));
            created = true;
            return segment;
        } finally {
            if (!created) {
                file.close();
                files.delete(path);
            }
        }
    }

    SegmentHeader header() {
        return header;
    }

    Path path() {
        return path;
    }

    MemorySegment memory() {
        return memory;
    }

    /** Offset behind the last frame. */
    long end() {
        return end;
    }

    long endPlace() {
        return Place.of(header.fileId(), end);
    }

    /** How far the log has come with the end of this segment. */
    long endPosition() {
        return Place.position(header.lastSequence(), end);
    }

    /** Whether nothing can be appended any more. */
    boolean isSealed() {
        return file == null;
    }

    boolean isEmpty() {
        return end == SegmentHeader.BYTES;
    }

    // ---- apply thread, or recovery before anybody else knows the segment

    /** Writes a frame at the end and lets readers see it. */
    void append(ByteBuffer frame, FrameInfo info, long frameRowBytes) throws IOException {
        StoreFile target = open();
        long start = end;
        long newEnd = start + frame.remaining();
        writeFully(target, frame, start);
        if (newEnd > memory.byteSize()) {
            makeRoom(target, newEnd);
        }
        rowBytesAdded(frameRowBytes);
        frameAdded(start, newEnd, info.revision());
    }

    /** Notes a frame that is in the file. */
    void frameAdded(long start, long newEnd, long revision) {
        long before = lastRevision;
        long bytes = recordBytes;
        recordBytes = bytes + newEnd - start - FrameFormat.HEADER_BYTES;
        end = newEnd;
        table.add(before, start);
        lastRevision = revision;
    }

    void rowBytesAdded(long bytes) {
        long before = rowBytes;
        rowBytes = before + bytes;
    }

    /** From now on makes room ahead of the frames until the file has its target size: appending seldom moves its end. */
    void growTo(long bytes) {
        targetBytes = bytes;
    }

    private void makeRoom(StoreFile target, long from) throws IOException {
        long size = Math.max(from, Math.min(targetBytes, from + ROOM_BYTES));
        long written = from;
        try {
            ByteBuffer zeros = ByteBuffer.allocateDirect((int) Math.min(ZEROS_BYTES, size - from));
            while (written < size) {
                zeros.clear().limit((int) Math.min(zeros.capacity(), size - written));
                writeFully(target, zeros, written);
                written += zeros.limit();
            }
        } catch (IOException e) {
            // The frames themselves are written. A map for each of them would be too many.
            if (written - from < LEAST_ROOM_BYTES) {
                throw e;
            }
        }
        memory = target.map(written);
    }

    /** Maps what is in the file up to {@link #end}. */
    void mapWritten() throws IOException {
        memory = open().map(end);
    }

    /** Cuts everything behind {@code offset} off, durably. Recovery only: nobody reads yet. */
    void cut(long offset) throws IOException {
        StoreFile target = open();
        target.setSize(offset);
        target.sync();
    }

    /** Makes the frames of a file under construction durable if more than so many bytes of them are not. */
    void syncBeyond(long bytes) throws IOException {
        if (end - syncedBytes > bytes) {
            sync(end);
        }
    }

    /** Completes a file under construction: its header, its length, its durability, its final name. */
    void finish(SegmentHeader finalHeader, FileSystem files, Path finalPath) throws IOException {
        StoreFile target = open();
        writeFully(target, finalHeader.encode(), 0);
        target.setSize(end);
        target.sync();
        memory = target.map(end);
        file = null;
        target.close();
        files.rename(path, finalPath);
        header = finalHeader;
        path = finalPath;
    }

    static void writeFully(StoreFile file, ByteBuffer bytes, long position) throws IOException {
        long at = position;
        int empty = 0;
        while (bytes.hasRemaining()) {
            int written = file.write(bytes, at);
            at += written;
            empty = written == 0 ? empty + 1 : 0;
            if (empty == MAX_EMPTY_WRITES) {
                throw new IOException("the file takes no more bytes at " + at);
            }
        }
    }

    // ---- under the sync lock

    /** Makes everything below {@code limit} durable. */
    void sync(long limit) throws IOException {
        if (syncedBytes < limit) {
            open().sync();
            syncedBytes = limit;
        }
    }

    /** Gives back what was preallocated, makes the whole segment durable and closes the file; the map stays. */
    void seal() throws IOException {
        StoreFile target = file;
        if (target == null) {
            return;
        }
        if (target.size() != end) {
            target.setSize(end);
            target.sync();
        } else {
            sync(end);
        }
        syncedBytes = end;
        file = null;
        target.close();
    }

    /** Closes the file as it is. */
    void closeFile() throws IOException {
        StoreFile target = file;
        file = null;
        if (target != null) {
            target.close();
        }
    }

    private StoreFile open() {
        StoreFile target = file;
        if (target == null) {
            throw new IllegalStateException(path + " is sealed");
        }
        return target;
    }

    // ---- any thread

    /** Notes that nobody can reach a change any more. */
    void released(StoredRecord change) {
        (change.type() == RecordType.TOMBSTONE ? releasedTombstones : releasedPuts).addAndGet(change.totalBytes());
    }

    /**
     * Up to this revision the segment holds nothing that a later change has superseded: a tombstone at or below it has
     * nothing to hide here.
     */
    long cleanRevision() {
        return releasedPuts.get() + releasedTombstones.get() == 0 ? Long.MAX_VALUE : header.cleanRevision();
    }

    /**
     * Bytes that packing would keep.
     *
     * @param rowsAreVoid whether all rows of this segment have been written anew behind it
     * @param cleanBefore lowest clean revision of the segments before it
     */
    long neededBytes(boolean rowsAreVoid, long cleanBefore) {
        return recordBytes
                - releasedPuts.get()
                - (cleanBefore >= lastRevision ? releasedTombstones.get() : 0)
                - (rowsAreVoid ? rowBytes : 0);
    }

    /** What only whoever has read all records can count. */
    ImageHead.Account account() {
        return new ImageHead.Account(rowBytes, releasedPuts.get(), releasedTombstones.get());
    }

    /** The counts of an image, in place of reading the records. */
    void restore(ImageHead.Account account) {
        rowBytes = account.rowBytes();
        releasedPuts.set(account.releasedPuts());
        releasedTombstones.set(account.releasedTombstones());
    }

    /** Bytes of the changes that have not been released. */
    long changeBytesInUse() {
        return recordBytes - rowBytes - releasedPuts.get() - releasedTombstones.get();
    }

    long releasedTombstones() {
        return releasedTombstones.get();
    }

    /** The record at an offset below {@link #end}. */
    StoredRecord read(long offset) {
        checked(offset, end);
        return new StoredRecord(memory, offset);
    }

    /** The offset, where a record can lie below {@code limit}, which was the end before. */
    long checked(long offset, long limit) {
        if (offset < SegmentHeader.BYTES || offset + StoredRecord.HEADER_BYTES > limit) {
            throw new IllegalStateException("no record at offset " + offset + " of " + path);
        }
        return offset;
    }

    /** A checksum of the last bytes before an offset, at or below {@link #end}: they never change. */
    int checksumBefore(long offset) {
        long from = Math.max(0, offset - CHECKSUM_BYTES);
        CRC32C crc = new CRC32C();
        crc.update(memory.asSlice(from, offset - from).asByteBuffer());
        return (int) crc.getValue();
    }

    /** Offset of a frame before which every revision is below {@code revision}. */
    long seek(long revision) {
        return Math.max(SegmentHeader.BYTES, table.seek(revision));
    }

    /**
     * Shows the changes of revisions {@code from} to {@code to}.
     *
     * @return the revision at which the visitor stopped, -1 if it saw all
     */
    long scan(long from, long to, Predicate<StoredRecord> visitor) {
        long offset = seek(from);
        long limit = end;
        MemorySegment source = memory;
        while (offset < limit) {
            long frameEnd = FrameFormat.end(source, offset);
            if (FrameFormat.lastRevision(source, offset) >= from) {
                for (long at = offset + FrameFormat.HEADER_BYTES; at < frameEnd; ) {
                    StoredRecord record = new StoredRecord(source, at);
                    at += record.totalBytes();
                    if (!record.type().isChange() || record.revision() < from) {
                        continue;
                    }
                    if (record.revision() > to) {
                        return -1;
                    }
                    if (!visitor.test(record)) {
                        return record.revision();
                    }
                }
            }
            offset = frameEnd;
        }
        return -1;
    }

    /** Shows every record from the frame at an offset on, in order. */
    void replay(long from, RecordStore.Replay visitor) {
        MemorySegment source = memory;
        for (long offset = from; offset < end; ) {
            long frameEnd = FrameFormat.end(source, offset);
            for (long at = offset + FrameFormat.HEADER_BYTES; at < frameEnd; ) {
                StoredRecord record = new StoredRecord(source, at);
                visitor.record(Place.of(header.fileId(), at), record);
                at += record.totalBytes();
            }
            offset = frameEnd;
        }
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.storage;

import dev.nightjar.core.storage.FileSystem.StoreFile;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads all segments of a directory, checks every byte, and decides what to do about damage. One thread, once.
 *
 * <p>A segment is mapped only when it is known how far it has been written, and only so far.
 *
 * <p>A crash of the machine may lose, in any order, what had not been synced; everything else is damage that the log
 * must not be opened with. Every frame says how far the log was durable when it was written. So at the first bad place:
 *
 * <pre>
 *   some frame or header anywhere says "durable up to" beyond it   the bytes were safe once: damage, refuse
 *   none does                                                      a crash took them: cut there, drop what follows
 * </pre>
 *
 * What is cut is replayed from the consensus log, which is kept from the last durable frame on.
 */
final class Recovery {

    /** Ending of files under construction. */
    static final String TEMPORARY = ".tmp";

    private static final Logger LOG = LoggerFactory.getLogger(Recovery.class);

    private static final MemorySegment ZEROS = MemorySegment.ofArray(new long[512]);

    private final FileSystem files;
    private final Path directory;
    private final List<Segment> segments = new ArrayList<>();
    /** Files whose content is in a packed file that has been loaded. */
    private final List<SegmentName> replaced = new ArrayList<>();

    /** Whether to change anything on disk. */
    private final boolean repairing;

    private FrameInfo last = FrameInfo.FRESH;
    private long syncedPosition;
    /** What would be cut off, if nothing is to be changed; null if nothing. */
    private @Nullable Damage torn;

    /**
     * @param syncedPosition what is known from elsewhere to have been durable, 0 if nothing
     */
    private Recovery(FileSystem files, Path directory, long syncedPosition, boolean repairing) {
        this.files = files;
        this.repairing = repairing;
        this.directory = directory;
        this.syncedPosition = syncedPosition;
    }

    /**
     * @param segments all segments, files open, at least one
     * @param last what the newest frame says
     * @param nextFileId lowest id that no file has or had
     */
    record Result(List<Segment> segments, FrameInfo last, int nextFileId) {

        void closeFiles() throws IOException {
            for (Segment segment : segments) {
                segment.closeFile();
            }
        }
    }

    /**
     * Opens a log, repairs what a crash may have done and removes files that are of no use any more.
     *
     * @param image what is there beside the log, null if there is none
     * @param helpers may scan files ahead of the caller
     */
    static Result recover(FileSystem files, Path directory, @Nullable ImageReader image, Executor helpers)
            throws IOException {
        long durable = image == null ? 0 : image.end().syncedPosition();
        Recovery recovery = new Recovery(files, directory, durable, true);
        Result result = recovery.run(image == null ? null : image.head(), helpers);
        requireTail(result);
        for (SegmentName name : recovery.replaced) {
            files.delete(directory.resolve(name.toString()));
        }
        for (String name : files.list(directory)) {
            if (name.endsWith(TEMPORARY)) {
                files.delete(directory.resolve(name));
            }
        }
        return result;
    }

    private static void requireTail(Result result) throws IOException {
        Segment tail = result.segments().getLast();
        if (tail.header().isPacked()) {
            result.closeFiles();
            throw new CorruptStoreException(tail.path(), tail.end(), "the segment behind this one is missing");
        }
    }

    /**
     * What {@link #recover} would find.
     *
     * @param result as {@link #recover} would return it, files open
     * @param findings what it would cut off or remove
     */
    record Inspection(Result result, List<Finding> findings) {}

    /**
     * Looks at a log and changes nothing.
     *
     * @param isCopy whether it is a checkpoint, to which nothing will be appended
     * @throws CorruptStoreException if a start would refuse it
     */
    static Inspection inspect(FileSystem files, Path directory, long syncedPosition, boolean isCopy)
            throws IOException {
        Recovery recovery = new Recovery(files, directory, syncedPosition, false);
        Result result = recovery.run(null, Runnable::run);
        if (!isCopy) {
            requireTail(result);
        }
        List<Finding> findings = new ArrayList<>();
        Damage damage = recovery.torn;
        if (damage != null) {
            findings.add(Finding.cutAtStart(damage.file, damage.offset, damage.what));
        }
        for (SegmentName name : recovery.replaced) {
            findings.add(Finding.cutAtStart(
                    directory.resolve(name.toString()), 0, "a file that a packed one has taken the place of"));
        }
        for (String name : files.list(directory)) {
            if (name.endsWith(TEMPORARY)) {
                findings.add(Finding.cutAtStart(directory.resolve(name), 0, "a file that was never completed"));
            }
        }
        return new Inspection(result, findings);
    }

    /**
     * The first bad place.
     *
     * @param position where it is in the log
     * @param segment the segment whose end it is to become; null if the whole file is useless
     */
    private record Damage(long position, @Nullable Segment segment, Path file, long offset, String what) {}

    private Result run(@Nullable ImageHead image, Executor helpers) throws IOException {
        boolean complete = false;
        List<SegmentName> names = names(files, directory);
        try (SegmentScans scans = new SegmentScans(files, directory, names, image, helpers)) {
            int nextFileId = 1;
            for (SegmentName name : names) {
                nextFileId = Math.max(nextFileId, name.fileId() + 1);
            }
            Damage damage = null;
            for (int i = 0; i < names.size() && damage == null; i++) {
                SegmentName name = names.get(i);
                if (!segments.isEmpty()
                        && name.firstSequence() <= segments.getLast().header().lastSequence()) {
                    scans.skip();
                    replaced.add(name);
                    continue;
                }
                damage = load(scans.next());
                if (damage != null) {
                    repair(damage, names.subList(i, names.size()));
                }
            }
            Result result = new Result(List.copyOf(segments), last, nextFileId);
            complete = true;
            return result;
        } finally {
            if (!complete) {
                new Result(segments, last, 0).closeFiles();
            }
        }
    }

    /** The segments of a directory in the order of the log, those that have been replaced too. */
    static List<SegmentName> names(FileSystem files, Path directory) throws IOException {
        List<SegmentName> names = new ArrayList<>();
        for (String name : files.list(directory)) {
            SegmentName parsed = SegmentName.parse(name);
            if (parsed != null) {
                names.add(parsed);
            }
        }
        if (names.isEmpty()) {
            throw new CorruptStoreException(directory, 0, "there is no segment");
        }
        Collections.sort(names);
        return names;
    }

    private @Nullable Damage load(SegmentScan scan) throws IOException {
        Damage damage = checkHeader(scan);
        Segment segment = scan.segment();
        if (damage != null || segment == null) {
            scan.discard();
            // The first header was durable before the directory counted as a store, and a packed file before it got its
            // name: no crash takes them.
            if (segments.isEmpty() || scan.name().packed()) {
                throw new CorruptStoreException(scan.path(), 0, damage == null ? "no header" : damage.what);
            }
            return damage;
        }
        segments.add(segment);
        syncedPosition = Math.max(syncedPosition, scan.syncedPosition());
        last = scan.last();
        SegmentScan.Flaw flaw = scan.flaw();
        if (segment.header().isPacked()
                && (flaw != null || segment.end() != segment.header().length())) {
            throw new CorruptStoreException(
                    scan.path(), segment.end(), flaw == null ? "the end is missing" : flaw.what());
        }
        segment.mapWritten();
        return flaw == null ? null : damage(segment, flaw.offset(), flaw.what());
    }

    private @Nullable Damage checkHeader(SegmentScan scan) {
        Path path = scan.path();
        long position = Place.position(scan.name().firstSequence(), 0);
        if (scan.segment() == null) {
            return new Damage(
                    position,
                    null,
                    path,
                    0,
                    scan.flaw() == null ? "no header" : scan.flaw().what());
        }
        SegmentHeader header = scan.segment().header();
        if (segments.isEmpty()) {
            return header.firstSequence() == SegmentHeader.FIRST_SEQUENCE
                    ? null
                    : new Damage(position, null, path, 0, "the segments before this one are missing");
        }
        Segment before = segments.getLast();
        if (before.header().storeId() != header.storeId()) {
            return new Damage(position, null, path, 0, "the segment belongs to another store");
        }
        boolean follows = header.firstSequence() == before.header().lastSequence() + 1
                && (before.header().isPacked() || header.previousLength() == before.end())
                && header.before().equals(last);
        if (follows) {
            return null;
        }
        if (before.header().isPacked()) {
            // It is complete, so what is missing came behind it.
            return new Damage(position, null, path, 0, "the segments before this one are missing");
        }
        return damage(before, before.end(), "the end of the segment is missing");
    }

    private static Damage damage(Segment segment, long offset, String what) {
        long position = Place.position(segment.header().lastSequence(), offset);
        return new Damage(position, segment, segment.path(), offset, what);
    }

    private void repair(Damage damage, List<SegmentName> suspects) throws IOException {
        long storeId = segments.getFirst().header().storeId();
        try (FileImage image = new FileImage()) {
            for (SegmentName name : suspects) {
                suspect(name, storeId, image);
            }
        }
        if (syncedPosition > damage.position) {
            throw new CorruptStoreException(damage.file, damage.offset, damage.what);
        }
        if (!repairing) {
            torn = damage;
            return;
        }
        LOG.warn(
                "{}, offset {}: {}; it had not been synced, so a crash may have lost it: cutting the log there",
                damage.file,
                damage.offset,
                damage.what);
        cut(damage, suspects);
    }

    private void suspect(SegmentName name, long storeId, FileImage image) throws IOException {
        Path path = directory.resolve(name.toString());
        try (StoreFile file = files.open(path, false)) {
            MemorySegment memory = image.read(file, path);
            SegmentHeader header = SegmentHeader.decode(memory, path);
            if (header != null) {
                syncedPosition = Math.max(syncedPosition, header.syncedPosition());
            }
            searchFrames(memory, storeId, name.fileId());
            if (name.packed()) {
                // Only what is durable is packed, and all before it was durable too.
                syncedPosition = Math.max(syncedPosition, Place.position(name.firstSequence(), 1));
            }
        }
    }

    /** Looks at every offset for the header of a frame that was written there. */
    private void searchFrames(MemorySegment memory, long storeId, int fileId) {
        for (long offset = SegmentHeader.BYTES; offset <= memory.byteSize() - FrameFormat.HEADER_BYTES; offset++) {
            FrameFormat.Header frame =
                    FrameFormat.readHeader(memory, offset, new FrameFormat.Origin(storeId, Place.of(fileId, offset)));
            if (frame != null) {
                syncedPosition = Math.max(syncedPosition, frame.syncedPosition());
            }
        }
    }

    private void cut(Damage damage, List<SegmentName> suspects) throws IOException {
        for (SegmentName name : suspects.reversed()) {
            // From the back, so that a crash in between leaves a log without holes.
            if (segments.stream()
                    .noneMatch(segment -> SegmentName.of(segment.header()).equals(name))) {
                files.delete(directory.resolve(name.toString()));
            }
        }
        files.syncDirectory(directory);
        if (damage.segment != null) {
            damage.segment.cut(damage.offset);
        }
    }

    static boolean isZero(MemorySegment memory, long from) {
        long size = memory.byteSize();
        for (long at = from; at < size; at += ZEROS.byteSize()) {
            long bytes = Math.min(ZEROS.byteSize(), size - at);
            if (MemorySegment.mismatch(memory, at, at + bytes, ZEROS, 0, bytes) >= 0) {
                return false;
            }
        }
        return true;
    }
}

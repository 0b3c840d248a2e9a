/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.storage;

import dev.nightjar.core.storage.FileSystem.StoreFile;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads all segments of a directory, checks every byte, and decides what to do about damage. One thread, once.
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

    private static final Logger LOG = LoggerFactory.getLogger(Recovery.class);

    private final FileSystem files;
    private final Path directory;
    private final List<Segment> segments = new ArrayList<>();
    private FrameInfo last = FrameInfo.FRESH;
    private long syncedPlace;

    /**
     * @param syncedPlace what is known from elsewhere to have been durable, 0 if nothing
     */
    private Recovery(FileSystem files, Path directory, long syncedPlace) {
        this.files = files;
        this.directory = directory;
        this.syncedPlace = syncedPlace;
    }

    /**
     * @param segments all segments, files open, at least one
     * @param last what the newest frame says
     */
    record Result(List<Segment> segments, FrameInfo last) {

        long endPlace() {
            return segments.getLast().endPlace();
        }

        void closeFiles() throws IOException {
            for (Segment segment : segments) {
                segment.closeFile();
            }
        }
    }

    /** Opens a log and repairs what a crash may have done. */
    static Result recover(FileSystem files, Path directory) throws IOException {
        return new Recovery(files, directory, 0).run();
    }

    /** Opens a log of which everything below {@code syncedPlace} has to be whole. */
    static Result verify(FileSystem files, Path directory, long syncedPlace) throws IOException {
        return new Recovery(files, directory, syncedPlace).run();
    }

    /** The first bad place. */
    private record Damage(int key, Path file, long offset, String what) {
        long place() {
            return Place.of(key, offset);
        }
    }

    private Result run() throws IOException {
        boolean complete = false;
        try {
            List<SegmentName> names = names();
            int index = 0;
            Damage damage = null;
            while (index < names.size() && damage == null) {
                damage = load(names.get(index));
                index++;
            }
            if (damage != null) {
                // The segment with the damage may or may not have been loaded; look at its rest in any case.
                repair(damage, names.subList(index - 1, names.size()));
            }
            Result result = new Result(List.copyOf(segments), last);
            complete = true;
            return result;
        } finally {
            if (!complete) {
                new Result(segments, last).closeFiles();
            }
        }
    }

    private List<SegmentName> names() throws IOException {
        List<SegmentName> names = files.list(directory).stream()
                .map(SegmentName::parse)
                .filter(Objects::nonNull)
                .map(Objects::requireNonNull)
                .sorted()
                .toList();
        if (names.isEmpty()) {
            throw new CorruptStoreException(directory, 0, "there is no segment");
        }
        return names;
    }

    private @Nullable Damage load(SegmentName name) throws IOException {
        Path path = directory.resolve(name.toString());
        StoreFile file = files.open(path, false);
        Segment segment = null;
        try {
            MemorySegment memory = file.map(file.size());
            SegmentHeader header = SegmentHeader.decode(memory, path);
            Damage damage = checkHeader(name, header, path);
            if (damage != null || header == null) {
                // The first header was durable before the directory counted as a store: no crash takes it.
                if (segments.isEmpty()) {
                    throw new CorruptStoreException(path, 0, damage == null ? "no header" : damage.what);
                }
                return damage;
            }
            segment = new Segment(header, path, file, memory);
        } finally {
            if (segment == null) {
                file.close();
            }
        }
        segments.add(segment);
        syncedPlace = Math.max(syncedPlace, segment.header().syncedPlace());
        last = segment.header().before();
        return walk(segment);
    }

    private @Nullable Damage checkHeader(SegmentName name, @Nullable SegmentHeader header, Path path) {
        int key = Place.segmentKey(name.sequence(), name.generation());
        if (header == null) {
            return new Damage(key, path, 0, "the segment header is damaged or foreign");
        }
        if (!SegmentName.of(header).equals(name)) {
            return new Damage(key, path, 0, "the segment header belongs to " + SegmentName.of(header));
        }
        if (segments.isEmpty()) {
            return header.sequence() == SegmentHeader.FIRST_SEQUENCE
                    ? null
                    : new Damage(key, path, 0, "the segments before this one are missing");
        }
        Segment before = segments.getLast();
        if (before.header().storeId() != header.storeId()) {
            return new Damage(key, path, 0, "the segment belongs to another store");
        }
        if (header.sequence() != before.header().sequence() + 1
                || header.previousLength() != before.end()
                || !header.before().equals(last)) {
            return new Damage(before.header().key(), before.path(), before.end(), "the end of the segment is missing");
        }
        return null;
    }

    /** Checks frame by frame; what is behind the last one has to be zeros. */
    private @Nullable Damage walk(Segment segment) throws IOException {
        MemorySegment memory = segment.memory();
        long offset = SegmentHeader.BYTES;
        while (true) {
            FrameFormat.Header frame = FrameFormat.readHeader(memory, offset, origin(segment.header(), offset));
            if (frame == null) {
                return isZero(memory, offset) ? null : damage(segment, offset, "the frame header is damaged");
            }
            syncedPlace = Math.max(syncedPlace, frame.syncedPlace());
            if (!FrameFormat.isPayloadValid(memory, offset, frame)) {
                return damage(segment, offset, "the frame does not match its checksum");
            }
            FrameInfo info = frame.info();
            if (info.revision() < last.revision() || info.appliedIndex() < last.appliedIndex()) {
                throw new CorruptStoreException(segment.path(), offset, "the frame is older than the one before");
            }
            segment.frameAdded(offset, offset + frame.totalBytes(), info.revision());
            last = info;
            offset += frame.totalBytes();
        }
    }

    private static Damage damage(Segment segment, long offset, String what) {
        return new Damage(segment.header().key(), segment.path(), offset, what);
    }

    private void repair(Damage damage, List<SegmentName> suspects) throws IOException {
        long storeId = segments.getFirst().header().storeId();
        for (SegmentName name : suspects) {
            Path path = directory.resolve(name.toString());
            try (StoreFile file = files.open(path, false)) {
                MemorySegment memory = file.map(file.size());
                SegmentHeader header = SegmentHeader.decode(memory, path);
                if (header != null) {
                    syncedPlace = Math.max(syncedPlace, header.syncedPlace());
                }
                searchFrames(memory, storeId, Place.segmentKey(name.sequence(), name.generation()));
            }
        }
        if (syncedPlace > damage.place()) {
            throw new CorruptStoreException(damage.file, damage.offset, damage.what);
        }
        LOG.warn(
                "{}, offset {}: {}; it had not been synced, so a crash may have lost it: cutting the log there",
                damage.file,
                damage.offset,
                damage.what);
        cut(damage, suspects);
    }

    /** Looks at every offset for the header of a frame that was written there. */
    private void searchFrames(MemorySegment memory, long storeId, int segmentKey) {
        for (long offset = SegmentHeader.BYTES; offset <= memory.byteSize() - FrameFormat.HEADER_BYTES; offset++) {
            FrameFormat.Header frame = FrameFormat.readHeader(
                    memory, offset, new FrameFormat.Origin(storeId, Place.of(segmentKey, offset)));
            if (frame != null) {
                syncedPlace = Math.max(syncedPlace, frame.syncedPlace());
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
        Segment tail = segments.getLast();
        if (tail.header().key() == damage.key) {
            tail.cut(tail.end());
        }
    }

    private static boolean isZero(MemorySegment memory, long from) {
        long at = from;
        long size = memory.byteSize();
        for (; at <= size - Long.BYTES; at += Long.BYTES) {
            if (memory.get(StoredRecord.LONG, at) != 0) {
                return false;
            }
        }
        for (; at < size; at++) {
            if (memory.get(ValueLayout.JAVA_BYTE, at) != 0) {
                return false;
            }
        }
        return true;
    }

    private static FrameFormat.Origin origin(SegmentHeader header, long offset) {
        return new FrameFormat.Origin(header.storeId(), Place.of(header.key(), offset));
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.storage;

import dev.nightjar.core.storage.FileSystem.StoreFile;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * What the file of a segment says by itself, every byte checked; how it fits its neighbours is for {@link Recovery}.
 * Immutable, but the segment's state is that of a segment nobody appends to yet.
 *
 * @param segment with all whole frames, its file open; null if the file has no header or that of another
 * @param last what the newest whole frame says
 * @param syncedPosition up to where, as headers tell, the log was durable when they were written
 * @param flaw the first bad place, null if there is none
 */
record SegmentScan(
        SegmentName name,
        Path path,
        @Nullable Segment segment,
        FrameInfo last,
        long syncedPosition,
        @Nullable Flaw flaw) {

    /** A place that is not what was written. */
    record Flaw(long offset, String what) {}

    /**
     * Reads a file.
     *
     * @param window through which
     * @param image the head of the log's image, null if there is none: whoever made it had read or written all records before
     *     its position, so that of the frames there only the checksums are looked at
     * @throws CorruptStoreException if it can never have been written like this
     */
    static SegmentScan of(
            FileSystem files, Path directory, SegmentName name, FileWindow window, @Nullable ImageHead image)
            throws IOException {
        Path path = directory.resolve(name.toString());
        StoreFile file = files.open(path, false);
        Segment segment = null;
        try {
            window.open(file, path);
            SegmentHeader header = SegmentHeader.decode(window.at(0, SegmentHeader.BYTES), path);
            if (header == null) {
                return foreign(name, path, "the segment header is damaged or foreign");
            }
            if (!SegmentName.of(header).equals(name)) {
                return foreign(name, path, "the segment header belongs to " + SegmentName.of(header));
            }
            Segment candidate = new Segment(header, path, file, MemorySegment.NULL);
            SegmentScan scan = walk(candidate, name, window, image);
            segment = candidate;
            return scan;
        } finally {
            if (segment == null) {
                file.close();
            }
        }
    }

    private static SegmentScan foreign(SegmentName name, Path path, String what) {
        return new SegmentScan(name, path, null, FrameInfo.FRESH, 0, new Flaw(0, what));
    }

    /** Checks frame by frame; what is behind the last one has to be zeros. */
    private static SegmentScan walk(Segment segment, SegmentName name, FileWindow window, @Nullable ImageHead image)
            throws IOException {
        SegmentHeader header = segment.header();
        FrameInfo last = header.before();
        long syncedPosition = header.syncedPosition();
        long knownPosition = image == null || image.storeId() != header.storeId() ? 0 : image.position();
        long offset = SegmentHeader.BYTES;
        Flaw flaw = null;
        while (true) {
            FrameFormat.Origin origin = new FrameFormat.Origin(header.storeId(), Place.of(header.fileId(), offset));
            FrameFormat.Header frame = FrameFormat.readHeader(window.at(offset, FrameFormat.HEADER_BYTES), 0, origin);
            if (frame == null) {
                flaw = isZero(window, offset) ? null : new Flaw(offset, "the frame header is damaged");
                break;
            }
            syncedPosition = Math.max(syncedPosition, frame.syncedPosition());
            boolean known = Place.position(header.lastSequence(), offset) < knownPosition;
            if (!FrameFormat.isPayloadValid(window.at(offset, frame.totalBytes()), 0, frame, known)) {
                flaw = new Flaw(offset, "the frame does not match its checksum");
                break;
            }
            FrameInfo info = frame.info();
            if (info.revision() < last.revision() || info.appliedIndex() < last.appliedIndex()) {
                throw new CorruptStoreException(segment.path(), offset, "the frame is older than the one before");
            }
            segment.frameAdded(offset, offset + frame.totalBytes(), info.revision());
            last = info;
            offset += frame.totalBytes();
        }
        return new SegmentScan(name, segment.path(), segment, last, syncedPosition, flaw);
    }

    private static boolean isZero(FileWindow window, long from) throws IOException {
        for (long at = from; at < window.size(); ) {
            MemorySegment piece = window.at(at, 1);
            if (!Recovery.isZero(piece, 0)) {
                return false;
            }
            at += piece.byteSize();
        }
        return true;
    }

    /** The segment is not wanted. */
    void discard() throws IOException {
        if (segment != null) {
            segment.closeFile();
        }
    }
}

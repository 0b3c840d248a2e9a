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
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Looks at one segment file by itself, from its header to its last byte, and goes on behind each damage. {@link Recovery}
 * stops at the first, and knows how the files follow each other. One thread, once.
 */
final class SegmentWalk {

    private final SegmentName name;
    private final Path path;
    private final List<Flaw> flaws = new ArrayList<>();
    private @Nullable SegmentHeader header;
    private FrameInfo last = FrameInfo.FRESH;
    private int frames;
    private long end = SegmentHeader.BYTES;
    private long syncedPosition;

    /** A place that is not as it was written. */
    record Flaw(long offset, String what) {}

    private SegmentWalk(SegmentName name, Path path) {
        this.name = name;
        this.path = path;
    }

    /**
     * Reads a file.
     *
     * @param storeId of the log; 0 to take the one in the file's header
     */
    static SegmentWalk walk(FileSystem files, Path directory, SegmentName name, long storeId) throws IOException {
        Path path = directory.resolve(name.toString());
        SegmentWalk walk = new SegmentWalk(name, path);
        try (StoreFile file = files.open(path, false);
                FileImage image = new FileImage()) {
            walk.read(image.read(file, path), storeId);
        }
        return walk;
    }

    SegmentName name() {
        return name;
    }

    Path path() {
        return path;
    }

    List<Flaw> flaws() {
        return flaws;
    }

    /** Null if the file has none that is whole and its own. */
    @Nullable
    SegmentHeader header() {
        return header;
    }

    /** How many frames are whole. */
    int frames() {
        return frames;
    }

    /** Offset behind the last whole frame. */
    long end() {
        return end;
    }

    /** How far the log was durable, as anything in this file says. */
    long syncedPosition() {
        return syncedPosition;
    }

    private void read(MemorySegment content, long storeId) throws IOException {
        SegmentHeader found = SegmentHeader.decode(content, path);
        if (found == null) {
            flaws.add(new Flaw(0, "the segment header is damaged or foreign"));
        } else if (!SegmentName.of(found).equals(name)) {
            flaws.add(new Flaw(0, "the segment header belongs to " + SegmentName.of(found)));
        } else if (storeId != 0 && found.storeId() != storeId) {
            flaws.add(new Flaw(0, "the segment belongs to another store"));
        } else {
            header = found;
            syncedPosition = found.syncedPosition();
            last = found.before();
        }
        if (name.packed()) {
            // Only what is durable is packed, and all before it was durable too.
            syncedPosition = Math.max(syncedPosition, Place.position(name.firstSequence(), 1));
        }
        long origin = header == null ? storeId : header.storeId();
        if (origin != 0) {
            frames(content, origin);
        }
        if (header != null && header.isPacked() && flaws.isEmpty() && end != header.length()) {
            flaws.add(new Flaw(end, "the end is missing"));
        }
    }

    private void frames(MemorySegment content, long storeId) {
        long offset = SegmentHeader.BYTES;
        while (offset < content.byteSize()) {
            FrameFormat.Header frame = FrameFormat.readHeader(content, offset, origin(storeId, offset));
            if (frame != null) {
                offset = frame(content, offset, frame);
            } else if (Recovery.isZero(content, offset)) {
                return;
            } else {
                flaws.add(new Flaw(offset, "the frame header is damaged"));
                offset = next(content, offset + 1, storeId);
            }
        }
    }

    /** Returns the offset behind it. */
    private long frame(MemorySegment content, long offset, FrameFormat.Header frame) {
        syncedPosition = Math.max(syncedPosition, frame.syncedPosition());
        FrameInfo info = frame.info();
        if (!FrameFormat.isPayloadValid(content, offset, frame)) {
            flaws.add(new Flaw(offset, "the frame does not match its checksum"));
        } else if (info.revision() < last.revision() || info.appliedIndex() < last.appliedIndex()) {
            flaws.add(new Flaw(offset, "the frame is older than the one before"));
        } else {
            frames++;
            last = info;
            end = offset + frame.totalBytes();
        }
        return offset + frame.totalBytes();
    }

    /** Offset of the next frame at or behind an offset, the size of the file if there is none. */
    private long next(MemorySegment content, long from, long storeId) {
        for (long offset = from; offset <= content.byteSize() - FrameFormat.HEADER_BYTES; offset++) {
            if (FrameFormat.readHeader(content, offset, origin(storeId, offset)) != null) {
                return offset;
            }
        }
        return content.byteSize();
    }

    private FrameFormat.Origin origin(long storeId, long offset) {
        return new FrameFormat.Origin(storeId, Place.of(name.fileId(), offset));
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.consensus.log;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** One file of the log. The log thread appends and cuts; any thread reads. */
final class Segment implements Closeable {
    final SegmentHeader header;
    final LogFile file;
    private final OffsetTable offsets = new OffsetTable();

    /** The file's size as it was prepared; records past it grow the file. */
    private final long limitBytes;

    /** Where the next record goes. Log thread. */
    private long endOffset = SegmentHeader.BYTES;

    Segment(SegmentHeader header, LogFile file, long limitBytes) {
        this.header = header;
        this.file = file;
        this.limitBytes = limitBytes;
    }

    long firstIndex() {
        return header.firstIndex();
    }

    /** The index of the last record, or the one before the first if there is none. */
    long lastIndex() {
        return header.firstIndex() + offsets.size() - 1;
    }

    long endOffset() {
        return endOffset;
    }

    long limitBytes() {
        return limitBytes;
    }

    /** Whether another {@code bytes} behind {@code offset} belong into this file. A record larger than any file does if it is the first. */
    boolean hasRoom(long offset, long bytes) {
        return offset + bytes <= limitBytes || offset == SegmentHeader.BYTES;
    }

    /** Takes note of a record that is in the file. Its bytes are durable when this is called. */
    void added(int offset, int recordBytes) {
        offsets.add(offset);
        endOffset = (long) offset + recordBytes;
    }

    /** Reads a record, or returns null if the segment does not hold it. */
    @Nullable
    LogRecord read(long index, String describedName) throws IOException {
        int ordinal = (int) (index - firstIndex());
        if (ordinal < 0 || ordinal >= offsets.size()) {
            return null;
        }
        return RecordReader.read(file, offsets.get(ordinal), index, describedName);
    }

    /** Cuts everything behind {@code lastIndexKept}, durably. */
    void truncateSuffix(long lastIndexKept) throws IOException {
        int kept = (int) (lastIndexKept - firstIndex() + 1);
        if (kept >= offsets.size()) {
            return;
        }
        long end = offsets.get(kept);
        offsets.truncate(kept);
        endOffset = end;
        file.truncate(end);
        file.sync();
    }

    /** Writes bytes that start at {@code offset}; they count only after {@link #added}. */
    void write(ByteBuffer bytes, long offset) throws IOException {
        file.write(bytes, offset);
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}

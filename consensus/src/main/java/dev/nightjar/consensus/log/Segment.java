/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.consensus.log;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;

/** One file of the log. The log thread appends and cuts; any thread reads. */
final class Segment implements Closeable {
    final SegmentHeader header;
    final LogFile file;
    private final OffsetTable offsets = new OffsetTable();

    /** The file's size as it was prepared; records past it grow the file. */
    private final long limitBytes;

    /** Where the next record goes. Changed by the log thread. */
    private volatile long endOffset = SegmentHeader.BYTES;

    /** Odd while the suffix is being cut. Changed by the log thread. */
    private final AtomicInteger cuts = new AtomicInteger();

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
        endOffset = (long) offset + recordBytes;
        offsets.add(offset);
    }

    /** The offset of a record, or -1 if the segment does not hold it. */
    long offsetOf(long index) {
        long ordinal = index - firstIndex();
        return ordinal < 0 || ordinal >= offsets.size() ? -1 : offsets.get((int) ordinal);
    }

    /**
     * Changes before and after the suffix is cut. What was read under one value must not be used under another: the place
     * may hold another entry by then.
     */
    int cuts() {
        return cuts.get();
    }

    /** Cuts everything behind {@code lastIndexKept}, durably. */
    void truncateSuffix(long lastIndexKept) throws IOException {
        int kept = (int) (lastIndexKept - firstIndex() + 1);
        if (kept >= offsets.size()) {
            return;
        }
        long end = offsets.get(kept);
        cuts.incrementAndGet();
        offsets.truncate(kept);
        endOffset = end;
        file.truncate(end);
        file.sync();
        cuts.incrementAndGet();
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

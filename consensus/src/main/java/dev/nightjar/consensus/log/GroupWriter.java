/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.consensus.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Collects the records of a group and writes them: one write and one sync, unless the group is larger than the buffer. Log
 * thread.
 */
final class GroupWriter {
    /** A group of this size is one write. */
    private static final int BUFFER_BYTES = 1 << 20;

    private final LogOptions options;
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES);
    private int[] offsets = new int[512];
    private int count;

    /** Where in the file the group starts, where the buffer goes, and where the next record goes. */
    private long groupStart;

    private long bufferStart;
    private long position;
    private long writeNanos;

    GroupWriter(LogOptions options) {
        this.options = options;
    }

    /** Starts a group at the end of a segment. */
    void begin(long offset) {
        count = 0;
        groupStart = offset;
        bufferStart = offset;
        position = offset;
        writeNanos = 0;
        buffer.clear();
    }

    /** The offset behind the last record added. */
    long position() {
        return position;
    }

    /** Adds a record to the group. */
    void add(Segment segment, LogRecord entry) throws IOException {
        int size = RecordFormat.sizeOf(entry.payload().remaining());
        if (size > buffer.remaining()) {
            spill(segment, buffer);
        }
        if (size > buffer.capacity()) {
            ByteBuffer large = ByteBuffer.allocateDirect(size);
            RecordFormat.encode(entry, (int) groupStart, large);
            spill(segment, large);
        } else {
            RecordFormat.encode(entry, (int) groupStart, buffer);
        }
        if (count == offsets.length) {
            offsets = Arrays.copyOf(offsets, 2 * count);
        }
        offsets[count++] = (int) position;
        position += size;
    }

    /** Writes what is left, makes the group durable and only then shows it to readers. */
    void finish(Segment segment) throws IOException {
        if (count == 0) {
            return;
        }
        spill(segment, buffer);
        options.observer().written(position - groupStart, writeNanos);
        if (options.sync()) {
            long begun = options.ticker().getAsLong();
            segment.file.sync();
            options.observer().synced(options.ticker().getAsLong() - begun);
        }
        for (int i = 0; i < count; i++) {
            long end = i + 1 < count ? offsets[i + 1] : position;
            segment.added(offsets[i], (int) (end - offsets[i]));
        }
    }

    private void spill(Segment segment, ByteBuffer source) throws IOException {
        source.flip();
        int bytes = source.remaining();
        if (bytes > 0) {
            long begun = options.ticker().getAsLong();
            segment.write(source, bufferStart);
            writeNanos += options.ticker().getAsLong() - begun;
            bufferStart += bytes;
        }
        source.clear();
    }
}

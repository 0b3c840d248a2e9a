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
        int payload = entry.payload().remaining();
        if (payload > RecordFormat.MAX_PAYLOAD_BYTES) {
            throw new IllegalArgumentException("entry of " + payload + " bytes");
        }
        if (RecordFormat.HEADER_BYTES > buffer.remaining()) {
            spill(segment);
        }
        RecordFormat.encodeHeader(entry, (int) groupStart, buffer);
        for (int at = 0; at < payload; ) {
            if (!buffer.hasRemaining()) {
                spill(segment);
            }
            int piece = Math.min(buffer.remaining(), payload - at);
            buffer.put(entry.payload().slice(entry.payload().position() + at, piece));
            at += piece;
        }
        if (count == offsets.length) {
            offsets = Arrays.copyOf(offsets, 2 * count);
        }
        offsets[count++] = (int) position;
        position += RecordFormat.sizeOf(payload);
    }

    /** Writes what is left, makes the group durable and only then shows it to readers. */
    void finish(Segment segment) throws IOException {
        if (count == 0) {
            return;
        }
        spill(segment);
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

    private void spill(Segment segment) throws IOException {
        buffer.flip();
        int bytes = buffer.remaining();
        if (bytes > 0) {
            long begun = options.ticker().getAsLong();
            segment.write(buffer, bufferStart);
            writeNanos += options.ticker().getAsLong() - begun;
            bufferStart += bytes;
        }
        buffer.clear();
    }
}

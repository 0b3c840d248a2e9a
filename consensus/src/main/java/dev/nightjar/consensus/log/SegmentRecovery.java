/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.consensus.log;

import dev.nightjar.consensus.LogCorruptException;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Reads a segment through once when the log is opened and decides where it ends. Owned by the thread that opens the log.
 *
 * <p>The records of a segment end at the first place where there is no whole record. What may follow depends:
 *
 * <ul>
 *   <li>zeros to the end of the file: the prepared rest, nothing is wrong;
 *   <li>anything else, in the last segment, with no whole record of a <em>later</em> group behind it: a write that a crash
 *       has torn. No sync of it ever returned, so nobody was told that it is durable. It is cut.
 *   <li>anything else: the place was once durable and is no longer what it was. The log is corrupt.
 * </ul>
 *
 * <p>Example: groups {@code [1 2][3 4 5]}, and the first page of the second group is missing on disk. Record 5 is whole, but
 * it belongs to the group that starts at record 3, so it does not prove that 3 was durable: the log ends with 2. If record 2
 * were damaged instead, record 5 would prove that 2 had been durable: the member refuses to start.
 */
final class SegmentRecovery {
    private final Segment segment;
    private final String describedName;
    private final RecoveryListener listener;
    private final Window window;
    private long previousTerm;
    private int previousGroup = SegmentHeader.BYTES;

    SegmentRecovery(Segment segment, String describedName, long previousTerm, RecoveryListener listener)
            throws IOException {
        this.segment = segment;
        this.describedName = describedName;
        this.previousTerm = previousTerm;
        this.listener = listener;
        this.window = new Window(segment.file);
    }

    /** Reads the segment and cuts a torn tail. Returns the term of its last record, or the term before it. */
    long recover(boolean isLast) throws IOException {
        long offset = SegmentHeader.BYTES;
        for (int size = recordAt(offset); size > 0; size = recordAt(offset)) {
            take(offset, size);
            offset += size;
        }
        if (!window.isZeroFrom(offset)) {
            long proof = laterGroupBehind(offset);
            if (proof >= 0 || !isLast) {
                throw new LogCorruptException(
                        describedName,
                        offset,
                        "entry " + (segment.lastIndex() + 1) + " is damaged"
                                + (proof >= 0 ? ", but a later one at offset " + proof + " is whole" : ""));
            }
            segment.file.truncate(offset);
            segment.file.sync();
        }
        return previousTerm;
    }

    private void take(long offset, int size) throws IOException {
        ByteBuffer buffer = window.buffer();
        int at = window.at(offset);
        long expected = segment.lastIndex() + 1;
        long index = RecordFormat.indexAt(buffer, at);
        long term = RecordFormat.termAt(buffer, at);
        int group = RecordFormat.groupAt(buffer, at);
        if (index != expected || term < previousTerm || (group != offset && group != previousGroup)) {
            throw new LogCorruptException(
                    describedName,
                    offset,
                    "entry " + index + " of term " + term + " where entry " + expected + " belongs");
        }
        previousTerm = term;
        previousGroup = group;
        if (RecordFormat.typeAt(buffer, at) != LogRecord.COMMAND) {
            listener.found(RecordFormat.decode(buffer, at));
        }
        segment.added((int) offset, size);
    }

    /** The size of the whole record at {@code offset}, or 0 if there is none. */
    private int recordAt(long offset) throws IOException {
        if (!window.has(offset, RecordFormat.HEADER_BYTES)) {
            return 0;
        }
        int length = window.buffer().getInt(window.at(offset));
        if (!RecordFormat.isPossibleLength(length) || !window.has(offset, RecordFormat.PREFIX_BYTES + length)) {
            return 0;
        }
        return RecordFormat.isWhole(window.buffer(), window.at(offset)) ? RecordFormat.PREFIX_BYTES + length : 0;
    }

    /** The offset of a whole record behind {@code bad} whose group began behind it, or -1. */
    private long laterGroupBehind(long bad) throws IOException {
        long lowest = segment.lastIndex() + 1;
        long highest = lowest + (window.fileSize() - bad) / RecordFormat.HEADER_BYTES;
        for (long at = bad + 1; window.has(at, RecordFormat.HEADER_BYTES); at++) {
            ByteBuffer buffer = window.buffer();
            int i = window.at(at);
            long index = RecordFormat.indexAt(buffer, i);
            boolean candidate = index > lowest
                    && index <= highest
                    && RecordFormat.groupAt(buffer, i) > bad
                    && RecordFormat.groupAt(buffer, i) <= at;
            if (candidate && recordAt(at) > 0) {
                return at;
            }
        }
        return -1;
    }
}

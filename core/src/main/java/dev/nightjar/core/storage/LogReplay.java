/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.storage;

import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Shows the owner of a log what it has to know of it at the start. One thread, once.
 *
 * <p>Without an image that is every record. With one, whose position is P:
 *
 * <pre>
 *   file before P, of which the image knows       nothing; what the segment counts comes from the image
 *   file before P, packed since                   its changes have moved: the owner notes the new places of those it has
 *   file that P lies in, as it was                what is behind P
 *   file that P lies in, packed since             changes up to P's revision have moved, all else is new
 *   file behind P                                 everything
 * </pre>
 *
 * Rows are shown from some point on without a gap, so that the last one of an id counts.
 */
final class LogReplay {

    private final SegmentTable table;
    private final @Nullable ImageHead image;
    private final RecordStore.Replay visitor;
    private final AtomicLong resetPlace;

    LogReplay(SegmentTable table, @Nullable ImageHead image, RecordStore.Replay visitor, AtomicLong resetPlace) {
        this.table = table;
        this.image = image;
        this.visitor = visitor;
        this.resetPlace = resetPlace;
    }

    void run() {
        if (image != null) {
            resetPlace.set(image.resetPlace());
        }
        for (int i = 0; i < table.count(); i++) {
            show(table.get(i));
        }
    }

    private void show(Segment segment) {
        ImageHead head = image;
        SegmentHeader header = segment.header();
        if (head == null || header.firstSequence() > head.sequence()) {
            segment.replay(SegmentHeader.BYTES, (place, record) -> shown(segment, place, record));
            return;
        }
        ImageHead.Account account = head.accounts().get(header.fileId());
        boolean isBefore = header.lastSequence() < head.sequence();
        if (account != null) {
            segment.restore(account);
            if (!isBefore) {
                segment.replay(head.offset(), (place, record) -> shown(segment, place, record));
            }
            return;
        }
        segment.replay(SegmentHeader.BYTES, (place, record) -> {
            if (record.type().isChange() && (isBefore || record.revision() <= head.revision())) {
                if (!visitor.moved(place, record)) {
                    segment.released(record);
                }
            } else if (isBefore) {
                row(segment, place, record);
            } else {
                shown(segment, place, record);
            }
        });
    }

    private void shown(Segment segment, long place, StoredRecord record) {
        if (!record.type().isChange()) {
            row(segment, place, record);
        }
        visitor.record(place, record);
    }

    private void row(Segment segment, long place, StoredRecord record) {
        segment.rowBytesAdded(record.totalBytes());
        if (record.type() == RecordType.ROWS_RESET && isBehind(segment)) {
            resetPlace.set(place);
        }
    }

    /** Whether a segment is not before the one that holds the newest reset known so far. */
    private boolean isBehind(Segment segment) {
        Segment holder = table.find(Place.fileId(resetPlace.get()));
        return holder == null
                || holder.header().firstSequence() <= segment.header().firstSequence();
    }
}

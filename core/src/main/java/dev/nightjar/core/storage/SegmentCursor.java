/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.storage;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** A walk over the changes of some segments that can pause at any of them. One thread. */
final class SegmentCursor implements RecordStore.Cursor {

    private final Segment[] segments;
    private final long from;
    private final long to;

    /** The segment that comes next. */
    private int nextSegment;

    // Where the walk is: the next record, the end of its frame, what can be read of its segment.
    private MemorySegment memory = MemorySegment.NULL;
    private long at;
    private long frameEnd;
    private long limit;

    SegmentCursor(Segment[] segments, int first, long from, long to) {
        this.segments = segments;
        this.nextSegment = first;
        this.from = from;
        this.to = to;
    }

    @Override
    public @Nullable StoredRecord next() {
        while (at < frameEnd || nextFrame()) {
            StoredRecord record = new StoredRecord(memory, at);
            at += record.totalBytes();
            if (record.type().isChange() && record.revision() >= from) {
                if (record.revision() <= to) {
                    return record;
                }
                end();
            }
        }
        return null;
    }

    /** Goes to the next frame that has a record and may have a wanted one. */
    private boolean nextFrame() {
        while (frameEnd < limit || nextSegment()) {
            at = frameEnd + FrameFormat.HEADER_BYTES;
            long start = frameEnd;
            frameEnd = FrameFormat.end(memory, start);
            if (FrameFormat.lastRevision(memory, start) < from) {
                at = frameEnd;
            } else if (at < frameEnd) {
                return true;
            }
        }
        return false;
    }

    private boolean nextSegment() {
        if (nextSegment == segments.length || segments[nextSegment].header().firstRevision() > to) {
            return false;
        }
        Segment segment = segments[nextSegment++];
        // In this order: what lies below the end is in the map that is read after it.
        limit = segment.end();
        memory = segment.memory();
        frameEnd = segment.seek(from);
        at = frameEnd;
        return true;
    }

    private void end() {
        nextSegment = segments.length;
        limit = frameEnd;
        at = frameEnd;
    }
}

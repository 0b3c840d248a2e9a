/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.storage;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The segments of a log at one moment, in order, without gaps. Immutable; any thread. */
final class SegmentTable implements RecordStore.Places {

    private final Segment[] segments;
    private final int firstSequence;

    SegmentTable(List<Segment> segments) {
        this(segments.toArray(Segment[]::new));
    }

    private SegmentTable(Segment[] segments) {
        this.segments = segments;
        this.firstSequence = segments[0].header().sequence();
    }

    SegmentTable with(Segment added) {
        Segment[] more = Arrays.copyOf(segments, segments.length + 1);
        more[segments.length] = added;
        return new SegmentTable(more);
    }

    int count() {
        return segments.length;
    }

    Segment get(int index) {
        return segments[index];
    }

    Segment last() {
        return segments[segments.length - 1];
    }

    /** Index of the last segment that begins at or below a revision, 0 if all begin above. */
    int indexOfRevision(long revision) {
        int low = 1;
        int high = segments.length;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (segments[middle].header().firstRevision() <= revision) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low - 1;
    }

    /** Index of the segment of a place; that of the nearest one if it is gone. */
    int indexOfPlace(long place) {
        int index = Place.sequence(Place.segmentKey(place)) - firstSequence;
        return Math.clamp(index, 0, segments.length - 1);
    }

    @Override
    public @Nullable StoredRecord read(long place) {
        int key = Place.segmentKey(place);
        int index = Place.sequence(key) - firstSequence;
        if (index < 0 || index >= segments.length || segments[index].header().key() != key) {
            return null;
        }
        return segments[index].read(Place.offset(place));
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.storage;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The segments of a log at one moment. Immutable; any thread. What is in it stays readable, also when the log has long
 * replaced the files.
 *
 * <p>While segments are being replaced by their packed form, {@code order} has the new file, and places in the old files
 * are still found.
 */
final class SegmentTable implements RecordStore.Snapshot {

    /** In log order, without gaps. */
    private final Segment[] order;
    /** Open-addressed by file id, at most half full. */
    private final @Nullable Segment[] byFile;

    SegmentTable(List<Segment> order, List<Segment> retired) {
        this.order = order.toArray(Segment[]::new);
        this.byFile = new Segment[Integer.highestOneBit(4 * (order.size() + retired.size()))];
        order.forEach(this::enter);
        retired.forEach(this::enter);
    }

    private void enter(Segment segment) {
        int slot = segment.header().fileId() & (byFile.length - 1);
        while (byFile[slot] != null) {
            slot = (slot + 1) & (byFile.length - 1);
        }
        byFile[slot] = segment;
    }

    SegmentTable with(Segment added) {
        List<Segment> more = new ArrayList<>(Arrays.asList(order));
        more.add(added);
        return new SegmentTable(more, retired());
    }

    /** Puts the packed form of adjacent segments in their place; they stay to be found by place. */
    SegmentTable replace(List<Segment> run, Segment packed) {
        List<Segment> changed = new ArrayList<>(Arrays.asList(order));
        int at = changed.indexOf(run.getFirst());
        changed.subList(at, at + run.size()).clear();
        changed.add(at, packed);
        return new SegmentTable(changed, run);
    }

    /** Forgets segments that have been replaced. */
    SegmentTable withoutRetired() {
        return new SegmentTable(Arrays.asList(order), List.of());
    }

    private List<Segment> retired() {
        List<Segment> ordered = Arrays.asList(order);
        List<Segment> retired = new ArrayList<>();
        for (Segment segment : byFile) {
            if (segment != null && !ordered.contains(segment)) {
                retired.add(segment);
            }
        }
        return retired;
    }

    int count() {
        return order.length;
    }

    Segment get(int index) {
        return order[index];
    }

    Segment last() {
        return order[order.length - 1];
    }

    /** Index of the segment with a sequence. */
    int indexOfSequence(int sequence) {
        int low = 1;
        int high = order.length;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (order[middle].header().firstSequence() <= sequence) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low - 1;
    }

    /** Index of the last segment that begins at or below a revision, 0 if all begin above. */
    private int indexOfRevision(long revision) {
        int low = 1;
        int high = order.length;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (order[middle].header().firstRevision() <= revision) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low - 1;
    }

    /** The segment of a file, null if it is not there any more. */
    @Nullable
    Segment find(int fileId) {
        for (int slot = fileId & (byFile.length - 1); ; slot = (slot + 1) & (byFile.length - 1)) {
            Segment segment = byFile[slot];
            if (segment == null || segment.header().fileId() == fileId) {
                return segment;
            }
        }
    }

    @Override
    public @Nullable StoredRecord read(long place) {
        Segment segment = find(Place.fileId(place));
        return segment == null ? null : segment.read(Place.offset(place));
    }

    /** Neighbours mostly lie in the same file; the reads do not wait for each other, so a miss of the cache costs little. */
    @Override
    public void lengths(long[] places, int count, boolean withoutValues, int[] lengths) {
        int field = withoutValues ? StoredRecord.PREFIX_LENGTH : StoredRecord.BODY_LENGTH;
        for (int at = 0; at < count; ) {
            int fileId = Place.fileId(places[at]);
            Segment segment = find(fileId);
            if (segment == null) {
                throw Place.gone(places[at]);
            }
            long end = segment.end();
            MemorySegment memory = segment.memory();
            do {
                long offset = segment.checked(Place.offset(places[at]), end);
                lengths[at++] = memory.get(StoredRecord.INT, offset + field);
            } while (at < count && Place.fileId(places[at]) == fileId);
        }
    }

    @Override
    public RecordStore.Cursor cursor(long from, long to) {
        return new SegmentCursor(order, indexOfRevision(from), from, to);
    }

    @Override
    public long scan(long from, long to, Predicate<StoredRecord> visitor) {
        for (int i = indexOfRevision(from); i < order.length; i++) {
            if (order[i].header().firstRevision() > to) {
                break;
            }
            long stopped = order[i].scan(from, to, visitor);
            if (stopped >= 0) {
                return stopped;
            }
        }
        return to + 1;
    }
}

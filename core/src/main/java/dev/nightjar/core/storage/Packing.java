/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.storage;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Gives space back: copies what is still needed of some adjacent sealed segments into one new file that takes their
 * place. Maintenance thread only; every step is bounded, and a crash between any two of them is harmless.
 *
 * <pre>
 *   IDLE       look for segments that are worth it
 *   COPYING    a piece of the source after the other, into a file with a temporary name
 *              then: sync, rename, and the table has the new file in the place of the old ones
 *   MOVING     tell the owner the new places, some at a time; old places are still found
 *              then: forget and delete the old files
 * </pre>
 *
 * <p>A tombstone that nobody can reach may still be needed: an older put of its key may lie in a segment before, dead
 * but not yet removed, and would come back to life at the next start. So every file says up to which revision it is
 * <i>clean</i> (holds nothing that was superseded by then), and a tombstone is dropped only if all files before it are
 * clean up to its revision, and the image, too. When too many tombstones wait for that, a <i>sweep</i> packs all files that are not clean,
 * from the first on.
 */
final class Packing {

    /** Bytes of the source that one step looks at: some milliseconds. */
    static final int COPY_STEP_BYTES = 1 << 20;
    /** Places that one step tells the owner. */
    static final int MOVE_STEP_RECORDS = 256;
    /** So many adjacent small files are made one, even if nothing in them is dead. */
    static final int SMALL_FILES = 8;
    /** A file is small below this part of the target size of a segment. */
    private static final int SMALL_DIVISOR = 8;
    /** Less than this part of the target size is not worth a file operation. */
    private static final int GAIN_DIVISOR = 64;

    private static final int MIN_GAIN_BYTES = 1024;
    /** If asked to be thorough, segments are packed of which this part would go. */
    private static final int THOROUGH_DIVISOR = 16;

    private static final int FRAME_BYTES = 256 << 10;
    /** What may wait to be synced: a disk that takes a whole file at once lets nobody else's sync through meanwhile. */
    private static final int UNSYNCED_BYTES = 256 << 10;
    /** A sweep begins when the tombstones that wait take more than a segment and this part of the log. */
    private static final int SWEEP_DIVISOR = 8;

    private static final long NO_SWEEP = -1;

    private enum State {
        IDLE,
        COPYING,
        MOVING
    }

    private final SegmentLog log;
    private final SegmentSet segments;
    private final Images images;
    /** Revision up to which a running sweep makes all files clean. */
    private long sweepRevision = NO_SWEEP;

    private State state = State.IDLE;
    private List<Segment> run = List.of();
    private @Nullable Segment target;

    // COPYING: the next frame of the source, what has been collected for the next frame of the target.
    private int source;
    private long offset;
    private final Frame frame = new Frame();
    private FrameInfo info = FrameInfo.FRESH;
    private FrameInfo written = FrameInfo.FRESH;
    private boolean rowsAreVoid;
    private long resetPlace;
    private long newResetPlace;
    private long forgottenRevision;
    private boolean thorough;
    private long cleanBefore;

    // MOVING: pairs of old and new place of all changes.
    private long[] moves = new long[2];
    private int moveCount;
    private int moved;

    Packing(SegmentLog log, SegmentSet segments, Images images) {
        this.images = images;
        this.log = log;
        this.segments = segments;
    }

    /** Does one piece and tells whether there is more. */
    boolean step(RecordStore.Owner owner) throws IOException {
        try {
            return switch (state) {
                case IDLE -> begin(owner);
                case COPYING -> copy(owner);
                case MOVING -> move(owner);
            };
        } catch (IOException e) {
            abandon();
            throw e;
        }
    }

    boolean isUnderWay() {
        return state != State.IDLE;
    }

    /** Completes what is in place; gives up what is under construction. */
    void settle(RecordStore.Owner owner) throws IOException {
        while (state == State.MOVING) {
            step(owner);
        }
        abandon();
    }

    /** Gives up what is under construction; what is in place stays. */
    void abandon() throws IOException {
        Segment unfinished = state == State.COPYING ? target : null;
        reset();
        if (unfinished != null) {
            unfinished.closeFile();
            log.options().files().delete(unfinished.path());
        }
    }

    private void reset() {
        state = State.IDLE;
        run = List.of();
        target = null;
        moveCount = 0;
        moved = 0;
    }

    // ---- IDLE

    private boolean begin(RecordStore.Owner owner) throws IOException {
        SegmentTable table = log.table();
        resetPlace = log.resetPlace().get();
        newResetPlace = 0;
        forgottenRevision = owner.forgottenRevision();
        thorough = owner.isThorough();
        run = choose(table);
        if (run.isEmpty()) {
            return false;
        }
        SegmentHeader first = run.getFirst().header();
        // Rows are void up to the reset: in the whole run if it lies behind, up to its place if it lies within.
        rowsAreVoid = resetSequence(table) >= first.firstSequence();
        cleanBefore = Math.min(forgottenRevision, images.cleanRevision());
        for (int i = 0; table.get(i) != run.getFirst(); i++) {
            cleanBefore = Math.min(cleanBefore, table.get(i).cleanRevision());
        }
        target = segments.createPacked(
                SegmentHeader.packed(first, run.getLast().header(), segments.takeFileId(), forgottenRevision));
        source = 0;
        offset = SegmentHeader.BYTES;
        info = first.before();
        written = info;
        frame.reset(target.endPlace());
        state = State.COPYING;
        return true;
    }

    /** First sequence of the segment that holds the newest reset of the rows, 0 if there is none. */
    private int resetSequence(SegmentTable table) {
        Segment holder = table.find(Place.fileId(resetPlace));
        return holder == null ? 0 : holder.header().firstSequence();
    }

    /** The first run of adjacent sealed segments that is worth packing. */
    private List<Segment> choose(SegmentTable table) {
        int resetSequence = resetSequence(table);
        long cleanBefore = Math.min(forgottenRevision, images.cleanRevision());
        long bytes = 0;
        long waitingTombstones = 0;
        for (int from = 0; from < table.count() - 1; from++) {
            Segment segment = table.get(from);
            List<Segment> sparse = sparseRun(table, from, resetSequence, cleanBefore);
            if (!sparse.isEmpty()) {
                return sparse;
            }
            List<Segment> small = smallRun(table, from);
            if (small.size() >= SMALL_FILES) {
                return small;
            }
            cleanBefore = Math.min(cleanBefore, segment.cleanRevision());
            bytes += segment.end();
            waitingTombstones += segment.releasedTombstones();
        }
        long patience = thorough ? MIN_GAIN_BYTES : Math.max(log.options().segmentBytes(), bytes / SWEEP_DIVISOR);
        return sweep(table, waitingTombstones > patience);
    }

    /** Segments from {@code from} on of which enough would go: half, or less if thorough; empty if that gains too little. */
    private List<Segment> sparseRun(SegmentTable table, int from, int resetSequence, long cleanBefore) {
        long targetBytes = log.options().segmentBytes();
        List<Segment> sparse = new ArrayList<>();
        long needed = 0;
        long gain = 0;
        for (int i = from; i < table.count() - 1 && table.get(i).isSealed(); i++) {
            Segment segment = table.get(i);
            long size = segment.end() - SegmentHeader.BYTES;
            long kept = segment.neededBytes(segment.header().firstSequence() < resetSequence, cleanBefore);
            if (kept > (thorough ? size - size / THOROUGH_DIVISOR : size / 2)
                    || (!sparse.isEmpty() && needed + kept > targetBytes)) {
                break;
            }
            sparse.add(segment);
            needed += kept;
            gain += size - kept;
        }
        return gain >= (thorough ? MIN_GAIN_BYTES : Math.max(MIN_GAIN_BYTES, targetBytes / GAIN_DIVISOR))
                ? sparse
                : List.of();
    }

    private List<Segment> smallRun(SegmentTable table, int from) {
        long targetBytes = log.options().segmentBytes();
        List<Segment> small = new ArrayList<>();
        long bytes = 0;
        for (int i = from; i < table.count() - 1 && table.get(i).isSealed(); i++) {
            long size = table.get(i).end() - SegmentHeader.BYTES;
            bytes += size;
            if (size > targetBytes / SMALL_DIVISOR || bytes > targetBytes) {
                break;
            }
            small.add(table.get(i));
        }
        return small;
    }

    /** The next segment of a sweep; empty if none is due or it is over. */
    private List<Segment> sweep(SegmentTable table, boolean due) {
        if (sweepRevision == NO_SWEEP && due && images.cleanRevision() >= forgottenRevision) {
            sweepRevision = forgottenRevision;
        }
        for (int i = 0;
                sweepRevision != NO_SWEEP
                        && i < table.count() - 1
                        && table.get(i).isSealed();
                i++) {
            if (table.get(i).cleanRevision() < sweepRevision) {
                return List.of(table.get(i));
            }
        }
        sweepRevision = NO_SWEEP;
        return List.of();
    }

    // ---- COPYING

    private boolean copy(RecordStore.Owner owner) throws IOException {
        Segment packed = target();
        for (long seen = 0; seen < COPY_STEP_BYTES; ) {
            if (offset == run.get(source).end()) {
                if (source == run.size() - 1) {
                    complete(packed);
                    return true;
                }
                source++;
                offset = SegmentHeader.BYTES;
                continue;
            }
            long from = offset;
            copyFrame(owner);
            seen += offset - from;
            if (frame.length() >= FRAME_BYTES) {
                flush(packed);
            }
        }
        return true;
    }

    private void copyFrame(RecordStore.Owner owner) {
        Segment segment = run.get(source);
        long end = FrameFormat.end(segment.memory(), offset);
        info = FrameFormat.info(segment.memory(), offset);
        for (long at = offset + FrameFormat.HEADER_BYTES; at < end; ) {
            StoredRecord record = segment.read(at);
            long place = Place.of(segment.header().fileId(), at);
            at += record.totalBytes();
            if (record.type().isChange()) {
                if (owner.isReachable(place, record)) {
                    remember(place, frame.nextPlace());
                    frame.copy(record);
                } else if (record.type() == RecordType.TOMBSTONE && record.revision() > cleanBefore) {
                    target().released(record);
                    frame.copy(record);
                }
            } else {
                if (place == resetPlace) {
                    rowsAreVoid = false;
                    newResetPlace = frame.nextPlace();
                }
                if (!rowsAreVoid) {
                    frame.copy(record);
                }
            }
        }
        offset = end;
    }

    private void remember(long oldPlace, long newPlace) {
        if (2 * moveCount == moves.length) {
            moves = Arrays.copyOf(moves, 2 * moves.length);
        }
        moves[2 * moveCount] = oldPlace;
        moves[2 * moveCount + 1] = newPlace;
        moveCount++;
    }

    private void flush(Segment packed) throws IOException {
        packed.append(frame.seal(info, 0, packed.header().storeId()), info, frame.rowBytes());
        packed.syncBeyond(UNSYNCED_BYTES);
        written = info;
        frame.reset(packed.endPlace());
    }

    private void complete(Segment packed) throws IOException {
        if (frame.count() > 0 || !written.equals(info)) {
            flush(packed);
        }
        log.install(packed, packed.header().withLength(packed.end()), run);
        if (newResetPlace != 0) {
            log.resetPlace().compareAndSet(resetPlace, newResetPlace);
        }
        state = State.MOVING;
    }

    // ---- MOVING

    private boolean move(RecordStore.Owner owner) throws IOException {
        Segment packed = target();
        int stop = Math.min(moveCount, moved + MOVE_STEP_RECORDS);
        for (; moved < stop; moved++) {
            long newPlace = moves[2 * moved + 1];
            StoredRecord record = packed.read(Place.offset(newPlace));
            if (!owner.moved(moves[2 * moved], newPlace, record)) {
                packed.released(record);
            }
        }
        if (moved == moveCount) {
            List<Segment> retired = run;
            reset();
            segments.retire(retired);
        }
        return true;
    }

    private Segment target() {
        Segment packed = target;
        if (packed == null) {
            throw new IllegalStateException("nothing is being packed");
        }
        return packed;
    }
}

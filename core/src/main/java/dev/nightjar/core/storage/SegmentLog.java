/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.storage;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A {@link RecordStore} in append-only segment files. The apply thread appends; any thread reads; the executor handed
 * in syncs sealed segments.
 *
 * <p>The newest segment is <i>active</i>: frames are written at its end, into room that has been made a little ahead of
 * them. When a frame is begun and the active segment has reached the target, the log <i>rolls</i>: a new segment
 * becomes active and the old one is sealed (cut to its length, synced, closed) in the background. So a frame never
 * spans two segments, and one that is larger than the target still has its place.
 *
 * <p>Whatever was not synced may be lost by a crash of the machine; {@link Recovery} says how it is told from damage.
 */
public final class SegmentLog implements RecordStore {

    /** Large enough that files stay few, small enough that a dead one is soon found. */
    public static final long SEGMENT_BYTES = 64L << 20;

    private final Options options;
    private final StoreDirectory directory;
    private final Frame frame = new Frame();
    /** Held for the length of one fsync; guards sealing and {@link Segment}'s synced length. Appending takes none. */
    private final ReentrantLock syncLock = new ReentrantLock();

    private final FailStop failure = new FailStop();
    private final SegmentSet segments;
    private volatile Tail tail;
    private volatile long syncedPosition;
    /** Place of the newest reset of the rows, 0 if there is none; rows before it are void. */
    private final AtomicLong resetPlace = new AtomicLong();

    private final Packing packing;
    private boolean appended;

    /** How far the log has been written. */
    private record Tail(Segment segment, long end, FrameInfo info) {
        long place() {
            return Place.of(segment.header().fileId(), end);
        }

        long position() {
            return Place.position(segment.header().lastSequence(), end);
        }
    }

    /**
     * @param files the file system
     * @param directory the store's directory
     * @param segmentBytes size at which a segment is sealed; {@link #SEGMENT_BYTES} but in tests
     * @param freshStoreId random number that names the log if it has to be created
     * @param background runs the fsync of sealed segments
     */
    public record Options(
            FileSystem files, Path directory, long segmentBytes, long freshStoreId, Executor background) {}

    private SegmentLog(Options options, StoreDirectory directory, Path data, Recovery.Result recovered) {
        this.options = options;
        this.directory = directory;
        this.segments = new SegmentSet(options.files, data, recovered);
        Segment active = recovered.segments().getLast();
        this.tail = new Tail(active, active.end(), recovered.last());
        this.packing = new Packing(this, segments);
    }

    /**
     * Opens the log of a directory and locks it; an empty or missing directory becomes a fresh log.
     *
     * @throws CorruptStoreException if a file holds something else than what was written
     * @throws IOException also if another process has the directory, or a newer version has written it
     */
    public static SegmentLog open(Options options) throws IOException {
        FileSystem files = options.files;
        StoreDirectory directory = StoreDirectory.open(files, options.directory);
        Recovery.Result recovered = null;
        try {
            Path data = directory.data();
            if (data == null) {
                data = directory.createNext();
                SegmentHeader header = SegmentHeader.first(options.freshStoreId);
                Segment.create(files, data.resolve(SegmentName.of(header).toString()), header)
                        .seal();
                directory.switchTo(data);
            }
            recovered = Recovery.recover(files, data);
            SegmentLog log = new SegmentLog(options, directory, data, recovered);
            log.secure();
            return log;
        } catch (IOException | RuntimeException e) {
            if (recovered != null) {
                recovered.closeFiles();
            }
            directory.close();
            throw e;
        }
    }

    /**
     * Replaces the log of a directory (not open now) by that of a checkpoint, after checking every byte of the
     * checkpoint. The files are shared by hard links. A crash leaves either the old or the new log.
     */
    public static void restore(Options options, Path checkpoint) throws IOException {
        try (StoreDirectory directory = StoreDirectory.open(options.files, options.directory)) {
            Checkpoint.install(options.files, checkpoint, directory);
        }
    }

    /** Makes durable what recovery found: after a crash of the process alone it may still be in memory only. */
    private void secure() throws IOException {
        SegmentTable table = segments.table();
        for (int i = 0; i < table.count() - 1; i++) {
            table.get(i).seal();
        }
        Segment active = table.last();
        active.sync(active.end());
        segments.syncNames();
        syncedPosition = active.endPosition();
        active.growTo(options.segmentBytes);
    }

    // ---- any thread

    @Override
    public Snapshot snapshot() {
        return table();
    }

    SegmentTable table() {
        failure.requireRunning();
        return segments.table();
    }

    @Override
    public FrameInfo last() {
        return tail.info;
    }

    @Override
    public long sizeBytes() {
        return segments.sizeBytes();
    }

    @Override
    public long sync() throws IOException {
        syncLock.lock();
        try {
            failure.requireRunning();
            return syncAll(tail);
        } catch (IOException e) {
            throw failure.failed("sync", e);
        } finally {
            syncLock.unlock();
        }
    }

    private long syncAll(Tail upTo) throws IOException {
        SegmentTable table = segments.table();
        int first = table.indexOfSequence(Place.sequence(syncedPosition));
        for (int i = first; i < table.count() && table.get(i) != upTo.segment; i++) {
            table.get(i).seal();
        }
        upTo.segment.sync(upTo.end);
        segments.syncChangedNames();
        syncedPosition = upTo.position();
        return upTo.info.appliedIndex();
    }

    // ---- maintenance

    @Override
    public long release(long place) {
        Segment segment = table().find(Place.fileId(place));
        if (segment == null) {
            return 0;
        }
        StoredRecord record = segment.read(Place.offset(place));
        segment.released(record);
        return record.totalBytes();
    }

    @Override
    public boolean packStep(Owner owner) throws IOException {
        failure.requireRunning();
        return packing.step(owner);
    }

    Options options() {
        return options;
    }

    AtomicLong resetPlace() {
        return resetPlace;
    }

    /** Gives a complete packed file its name and lets it take the place of the segments that it was made of. */
    void install(Segment packed, SegmentHeader header, List<Segment> run) throws IOException {
        // A checkpoint must find either form.
        syncLock.lock();
        try {
            failure.requireRunning();
            segments.install(packed, header, run);
        } finally {
            syncLock.unlock();
        }
    }

    // ---- apply thread

    @Override
    public void replay(Replay visitor) {
        SegmentTable table = segments.table();
        for (int i = 0; i < table.count(); i++) {
            Segment segment = table.get(i);
            segment.replay((place, record) -> {
                if (!record.type().isChange()) {
                    segment.rowBytesAdded(record.totalBytes());
                    if (record.type() == RecordType.ROWS_RESET) {
                        resetPlace.set(place);
                    }
                }
                visitor.record(place, record);
            });
        }
    }

    @Override
    public Frame begin() {
        failure.requireRunning();
        if (tail.end >= options.segmentBytes) {
            try {
                roll();
            } catch (IOException e) {
                throw failure.failed("segment creation", e);
            }
            options.background.execute(this::syncInBackground);
        }
        frame.reset(tail.place());
        return frame;
    }

    @Override
    public void append(Frame written, FrameInfo info) {
        failure.requireRunning();
        Tail before = tail;
        if (written.base() != before.place()) {
            throw new IllegalStateException("the frame was begun elsewhere");
        }
        try {
            before.segment.append(
                    written.seal(info, syncedPosition, before.segment.header().storeId()), info, written.rowBytes());
        } catch (IOException e) {
            throw failure.failed("write", e);
        }
        appended = true;
        if (written.resetPlace() != 0) {
            resetPlace.set(written.resetPlace());
        }
        tail = new Tail(before.segment, before.segment.end(), info);
        written.release();
    }

    /** Makes a new segment active. */
    private void roll() throws IOException {
        Tail full = tail;
        SegmentHeader header = SegmentHeader.after(full.segment, segments.takeFileId(), full.info, syncedPosition);
        Segment next = segments.add(header, options.segmentBytes);
        tail = new Tail(next, next.end(), full.info);
    }

    private void syncInBackground() {
        if (failure.hasStopped()) {
            return;
        }
        try {
            sync();
        } catch (IOException | StoreFailedException e) {
            failure.stop(e);
        }
    }

    @Override
    public void checkpoint(Path target) throws IOException {
        syncLock.lock();
        try {
            failure.requireRunning();
            SegmentTable table = sealForSharing();
            // From here on a failure is the copy's alone.
            for (int i = 0; i < table.count() - 1; i++) {
                Path path = table.get(i).path();
                options.files.link(target.resolve(String.valueOf(path.getFileName())), path);
            }
            options.files.syncDirectory(target);
            new Checkpoint(table.get(table.count() - 2).endPosition(), tail.info).write(options.files, target);
        } finally {
            syncLock.unlock();
        }
    }

    /** Brings every frame into a sealed segment; the active one is empty then. */
    private SegmentTable sealForSharing() {
        if (segments.table().count() == 1 && tail.segment.isEmpty()) {
            append(begin(), tail.info);
        }
        try {
            syncAll(tail);
            if (!tail.segment.isEmpty()) {
                roll();
                // The new segment has to be durable before the old one is shared: else a crash would make the old
                // one active again.
                syncAll(tail);
            }
            return segments.table();
        } catch (IOException e) {
            throw failure.failed("checkpoint", e);
        }
    }

    /** Syncs, says so in a last frame, and lets go of the files. */
    @Override
    public void close() throws IOException {
        syncLock.lock();
        try (directory) {
            if (!failure.hasStopped()) {
                closeCleanly();
            }
        } finally {
            failure.stop(new IOException("the store is closed"));
            packing.abandon();
            segments.closeFiles();
            syncLock.unlock();
        }
    }

    private void closeCleanly() throws IOException {
        if (appended) {
            syncAll(tail);
            // Without this frame nothing would say that the ones before it were durable.
            append(begin(), tail.info);
        }
        syncAll(tail);
        tail.segment.seal();
    }
}

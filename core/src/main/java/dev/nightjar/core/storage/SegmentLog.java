/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.storage;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

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
    private final Images images;
    /** What the log was opened with; null later, or if there was none. */
    private @Nullable ImageReader image;

    private boolean appended;

    /**
     * @param files the file system
     * @param directory the store's directory
     * @param segmentBytes size at which a segment is sealed; {@link #SEGMENT_BYTES} but in tests
     * @param freshStoreId random number that names the log if it has to be created
     * @param background runs the fsync of sealed segments, and reads files at the start beside the caller
     */
    public record Options(
            FileSystem files, Path directory, long segmentBytes, long freshStoreId, Executor background) {}

    private SegmentLog(
            Options options,
            StoreDirectory directory,
            Path data,
            Recovery.Result recovered,
            @Nullable ImageReader image) {
        this.options = options;
        this.directory = directory;
        this.segments = new SegmentSet(options.files, data, recovered);
        Segment active = recovered.segments().getLast();
        this.tail = Tail.of(active, recovered.last());
        this.images = new Images(options.files, data);
        this.packing = new Packing(this, segments, images);
        if (image != null) {
            this.image = image;
            images.opened(image);
        }
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
        ImageReader image = null;
        boolean opened = false;
        try {
            Path data = directory.data();
            if (data == null) {
                data = directory.createNext();
                SegmentHeader header = SegmentHeader.first(options.freshStoreId);
                Segment.create(files, data.resolve(SegmentName.of(header).toString()), header)
                        .seal();
                directory.switchTo(data);
            }
            image = Images.open(files, data);
            recovered = Recovery.recover(files, data, image, options.background);
            SegmentLog log = new SegmentLog(options, directory, data, recovered, Images.fitting(image, recovered));
            log.secure();
            opened = true;
            return log;
        } finally {
            if (!opened) {
                closeAll(image, recovered, directory);
            }
        }
    }

    private static void closeAll(
            @Nullable ImageReader image, Recovery.@Nullable Result recovered, StoreDirectory directory)
            throws IOException {
        try (directory;
                image) {
            if (recovered != null) {
                recovered.closeFiles();
            }
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

    /** The index of the consensus log's entry at which a checkpoint ends, as its manifest says; its files are not checked. */
    public static long appliedIndexOf(FileSystem files, Path checkpoint) throws IOException {
        return Checkpoint.read(files, checkpoint).last().appliedIndex();
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
        return tail.info();
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
        for (int i = first; i < table.count() && table.get(i) != upTo.segment(); i++) {
            table.get(i).seal();
        }
        upTo.segment().sync(upTo.end());
        segments.syncChangedNames();
        syncedPosition = upTo.position();
        return upTo.info().appliedIndex();
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

    @Override
    public boolean isPacking() {
        return packing.isUnderWay();
    }

    @Override
    public void settle(Owner owner) throws IOException {
        packing.settle(owner);
    }

    @Override
    public boolean isImageDue() {
        return bytesBehindImage() >= images.worthBytes(options.segmentBytes);
    }

    @Override
    public long bytesBehindImage() {
        return images.bytesBehind(table());
    }

    @Override
    public ImageWriter beginImage(long forgottenRevision) throws IOException {
        Tail now = tail;
        SegmentTable table = table();
        return images.begin(
                this,
                new ImageHead(
                        now.segment().header().storeId(),
                        now.segment().checksumBefore(now.end()),
                        now.position(),
                        now.info().revision(),
                        forgottenRevision,
                        resetPlace.get(),
                        Images.accounts(table, now.position(), now.rowBytes())));
    }

    /** Makes durable what an image may refer to. */
    ImageEnd syncForImage() throws IOException {
        syncLock.lock();
        try {
            sync();
            return new ImageEnd(syncedPosition, tail.info());
        } finally {
            syncLock.unlock();
        }
    }

    @Override
    public void checkpoint(Path target) throws IOException {
        syncLock.lock();
        try {
            // The active segment has to be durable before the ones behind it are shared: else a crash would make one of
            // them active again.
            sync();
            // From here on a failure is the copy's alone.
            Checkpoint.take(options.files, segments.table(), images, target);
        } finally {
            syncLock.unlock();
        }
    }

    // ---- before the first begin

    @Override
    public @Nullable ImageReader image() {
        return image;
    }

    @Override
    public void rejectImage(CorruptStoreException cause) {
        image = null;
        images.rejected(cause);
    }

    @Override
    public void replay(Replay visitor) {
        ImageReader loaded = image;
        image = null;
        new LogReplay(segments.table(), loaded == null ? null : loaded.head(), visitor, resetPlace).run();
        tail = Tail.of(tail.segment(), tail.info());
    }

    @Override
    public long changeBytesInUse() {
        SegmentTable table = segments.table();
        long bytes = 0;
        for (int i = 0; i < table.count(); i++) {
            bytes += table.get(i).changeBytesInUse();
        }
        return bytes;
    }

    // ---- apply thread

    @Override
    public Frame begin() {
        failure.requireRunning();
        if (tail.end() >= options.segmentBytes) {
            rollAndSync();
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
        ByteBuffer sealed =
                written.seal(info, syncedPosition, before.segment().header().storeId());
        // Nothing counts before all is written, so it may be tried again from the start.
        withRoom("write", () -> before.segment().append(sealed.duplicate(), info, written.rowBytes()));
        appended = true;
        if (written.resetPlace() != 0) {
            resetPlace.set(written.resetPlace());
        }
        tail = Tail.of(before.segment(), info);
        written.release();
    }

    /** Runs a step that the disk must have room for. */
    private void withRoom(String what, Step step) {
        while (true) {
            try {
                step.run();
                return;
            } catch (IOException e) {
                if (!options.files.makeRoom(e)) {
                    throw failure.failed(what, e);
                }
            }
        }
    }

    /** A step of the apply thread that leaves nothing behind if it fails. */
    private interface Step {
        void run() throws IOException;
    }

    private void rollAndSync() {
        withRoom("segment creation", this::roll);
        options.background.execute(this::syncInBackground);
    }

    /** Makes a new segment active. */
    private void roll() throws IOException {
        Tail full = tail;
        SegmentHeader header = SegmentHeader.after(full.segment(), segments.takeFileId(), full.info(), syncedPosition);
        Segment next = segments.add(header, options.segmentBytes);
        tail = Tail.of(next, full.info());
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
    public void cut() {
        failure.requireRunning();
        if (tail.segment().isEmpty() && segments.table().count() == 1) {
            append(begin(), tail.info());
        }
        if (!tail.segment().isEmpty()) {
            rollAndSync();
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
            append(begin(), tail.info());
        }
        syncAll(tail);
        tail.segment().seal();
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.storage;

import dev.nightjar.core.storage.FileSystem.StoreFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A {@link RecordStore} in append-only segment files. The apply thread appends; any thread reads; the executor handed
 * in syncs sealed segments.
 *
 * <p>The newest segment is <i>active</i>: it has been lengthened to its target size beforehand, and frames are written
 * at its end. When a frame is begun and the active segment has reached the target, the log <i>rolls</i>: a new segment
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
    private final Path data;
    private final Frame frame = new Frame();
    /** Held for the length of one fsync; guards sealing and {@link Segment}'s synced length. Appending takes none. */
    private final ReentrantLock syncLock = new ReentrantLock();

    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private volatile SegmentTable segments;
    private volatile Tail tail;
    private volatile long syncedPlace;
    /** Whether a segment has been created whose name may not be durable; set before the segment gets a frame. */
    private volatile boolean directoryChanged;

    private boolean appended;

    /** How far the log has been written; {@code sealedBytes} is the length of all segments before. */
    private record Tail(Segment segment, long end, long sealedBytes, FrameInfo info) {
        long place() {
            return Place.of(segment.header().key(), end);
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
        this.data = data;
        this.segments = new SegmentTable(recovered.segments());
        Segment active = segments.last();
        long sealedBytes = 0;
        for (int i = 0; i < segments.count() - 1; i++) {
            sealedBytes += segments.get(i).end();
        }
        this.tail = new Tail(active, active.end(), sealedBytes, recovered.last());
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
                create(
                                files,
                                data,
                                new SegmentHeader(
                                        options.freshStoreId, SegmentHeader.FIRST_SEQUENCE, 0, 0, 0, FrameInfo.FRESH))
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
        FileSystem files = options.files;
        try (StoreDirectory directory = StoreDirectory.open(files, options.directory)) {
            Checkpoint manifest = Checkpoint.read(files, checkpoint);
            Recovery.Result source = Recovery.verify(files, checkpoint, manifest.endPlace());
            source.closeFiles();
            if (source.endPlace() != manifest.endPlace() || !source.last().equals(manifest.last())) {
                Segment end = source.segments().getLast();
                throw new CorruptStoreException(
                        end.path(), end.end(), "the log does not end where the checkpoint does");
            }
            Path data = directory.createNext();
            for (Segment segment : source.segments()) {
                String name = SegmentName.of(segment.header()).toString();
                files.link(data.resolve(name), segment.path());
            }
            // What the checkpoint shares is never appended to.
            Segment last = source.segments().getLast();
            create(files, data, SegmentHeader.after(last, source.last(), source.endPlace()))
                    .seal();
            directory.switchTo(data);
        }
    }

    /** Creates a segment file with nothing but its header, not synced. */
    private static Segment create(FileSystem files, Path data, SegmentHeader header) throws IOException {
        Path path = data.resolve(SegmentName.of(header).toString());
        StoreFile file = files.open(path, true);
        boolean created = false;
        try {
            Segment.writeFully(file, header.encode(), 0);
            Segment segment = new Segment(header, path, file, file.map(SegmentHeader.BYTES));
            created = true;
            return segment;
        } finally {
            if (!created) {
                file.close();
            }
        }
    }

    /** Makes durable what recovery found: after a crash of the process alone it may still be in memory only. */
    private void secure() throws IOException {
        for (int i = 0; i < segments.count() - 1; i++) {
            segments.get(i).seal();
        }
        Segment active = segments.last();
        active.sync(active.end());
        options.files.syncDirectory(data);
        syncedPlace = active.endPlace();
        active.preallocate(options.segmentBytes);
    }

    // ---- any thread

    @Override
    public Places places() {
        checkUsable();
        return segments;
    }

    @Override
    public FrameInfo last() {
        return tail.info;
    }

    @Override
    public long sizeBytes() {
        Tail now = tail;
        return now.sealedBytes + now.end;
    }

    @Override
    public long scan(long from, long to, Predicate<StoredRecord> visitor) {
        checkUsable();
        SegmentTable table = segments;
        for (int i = table.indexOfRevision(from); i < table.count(); i++) {
            Segment segment = table.get(i);
            if (segment.header().firstRevision() > to) {
                break;
            }
            long stopped = segment.scan(from, to, visitor);
            if (stopped >= 0) {
                return stopped;
            }
        }
        return to + 1;
    }

    @Override
    public long sync() throws IOException {
        syncLock.lock();
        try {
            checkUsable();
            return syncAll(tail);
        } catch (IOException e) {
            throw failed("sync", e);
        } finally {
            syncLock.unlock();
        }
    }

    private long syncAll(Tail upTo) throws IOException {
        SegmentTable table = segments;
        for (int i = table.indexOfPlace(syncedPlace); i < table.count() && table.get(i) != upTo.segment; i++) {
            table.get(i).seal();
        }
        upTo.segment.sync(upTo.end);
        if (directoryChanged) {
            directoryChanged = false;
            options.files.syncDirectory(data);
        }
        syncedPlace = upTo.place();
        return upTo.info.appliedIndex();
    }

    // ---- apply thread

    @Override
    public void replay(Replay visitor) {
        for (int i = 0; i < segments.count(); i++) {
            segments.get(i).replay(visitor);
        }
    }

    @Override
    public Frame begin() {
        checkUsable();
        if (tail.end >= options.segmentBytes) {
            try {
                roll();
            } catch (IOException e) {
                throw failed("segment creation", e);
            }
            options.background.execute(this::syncInBackground);
        }
        frame.reset(tail.place());
        return frame;
    }

    @Override
    public void append(Frame written, FrameInfo info) {
        checkUsable();
        Tail before = tail;
        if (written.base() != before.place()) {
            throw new IllegalStateException("the frame was begun elsewhere");
        }
        try {
            before.segment.append(
                    written.seal(info, syncedPlace, before.segment.header().storeId()), info);
        } catch (IOException e) {
            throw failed("write", e);
        }
        appended = true;
        tail = new Tail(before.segment, before.segment.end(), before.sealedBytes, info);
    }

    /** Makes a new segment active. */
    private void roll() throws IOException {
        Segment full = tail.segment;
        Segment next = create(options.files, data, SegmentHeader.after(full, tail.info, syncedPlace));
        next.preallocate(options.segmentBytes);
        directoryChanged = true;
        segments = segments.with(next);
        tail = new Tail(next, next.end(), tail.sealedBytes + full.end(), tail.info);
    }

    private void syncInBackground() {
        if (failure.get() != null) {
            return;
        }
        try {
            sync();
        } catch (IOException | StoreFailedException e) {
            failure.compareAndSet(null, e);
        }
    }

    @Override
    public void checkpoint(Path target) throws IOException {
        syncLock.lock();
        try {
            checkUsable();
            SegmentTable table = sealForSharing();
            // From here on a failure is the copy's alone.
            for (int i = 0; i < table.count() - 1; i++) {
                Path path = table.get(i).path();
                options.files.link(target.resolve(String.valueOf(path.getFileName())), path);
            }
            options.files.syncDirectory(target);
            new Checkpoint(table.get(table.count() - 2).endPlace(), tail.info).write(options.files, target);
        } finally {
            syncLock.unlock();
        }
    }

    /** Brings every frame into a sealed segment; the active one is empty then. */
    private SegmentTable sealForSharing() {
        if (segments.count() == 1 && tail.segment.isEmpty()) {
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
            return segments;
        } catch (IOException e) {
            throw failed("checkpoint", e);
        }
    }

    /** Syncs, says so in a last frame, and lets go of the files. */
    @Override
    public void close() throws IOException {
        syncLock.lock();
        try (directory) {
            if (failure.get() == null) {
                closeCleanly();
            }
        } finally {
            failure.compareAndSet(null, new IOException("the store is closed"));
            for (int i = 0; i < segments.count(); i++) {
                segments.get(i).closeFile();
            }
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

    private void checkUsable() {
        Throwable cause = failure.get();
        if (cause != null) {
            throw new StoreFailedException("the store has stopped: " + cause.getMessage(), cause);
        }
    }

    private StoreFailedException failed(String what, IOException cause) {
        failure.compareAndSet(null, cause);
        return new StoreFailedException(what + " failed, the store stops: " + cause.getMessage(), cause);
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.storage;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The log of a store that no server has open: to be read, never changed. One thread.
 *
 * <p>What a start would cut off is left out; nothing else is repaired, so a log that a start would refuse is refused
 * here too.
 */
public final class StoredLog {

    private static final ImageHead.Account NOTHING_COUNTED = new ImageHead.Account(0, 0, 0);

    private final FileSystem files;
    private final Path data;
    private final SegmentTable table;
    private final FrameInfo last;
    private final List<Finding> findings;

    private StoredLog(FileSystem files, Path data, Recovery.Inspection inspection) {
        this.files = files;
        this.data = data;
        this.table = new SegmentTable(inspection.result().segments(), List.of());
        this.last = inspection.result().last();
        this.findings = List.copyOf(inspection.findings());
    }

    /**
     * Reads every byte of a log.
     *
     * @param root the store's directory, which nobody may have open
     * @return null if the directory holds no store yet
     * @throws CorruptStoreException if a start would refuse it
     */
    public static @Nullable StoredLog open(FileSystem files, Path root) throws IOException {
        FileSystem looking = new ReadOnlyFileSystem(files);
        StoreDirectory.Look look = StoreDirectory.look(looking, root);
        return look.data() == null ? null : inData(looking, look.data());
    }

    /** As {@link #open}, of a directory of segments. */
    static StoredLog inData(FileSystem files, Path data) throws IOException {
        Recovery.Inspection inspection = Recovery.inspect(files, data, syncedByImage(files, data), false);
        inspection.result().closeFiles();
        return new StoredLog(files, data, inspection);
    }

    /** How far the log was durable, as its image says; 0 if there is none that could say it. */
    static long syncedByImage(FileSystem files, Path data) throws IOException {
        if (!files.exists(data.resolve(Images.NAME))) {
            return 0;
        }
        try (ImageReader image = ImageReader.open(files, data.resolve(Images.NAME))) {
            return image.end().syncedPosition();
        } catch (CorruptStoreException e) {
            // A start goes on without it.
            return 0;
        }
    }

    /** What a start would cut off or remove. */
    public List<Finding> findings() {
        return findings;
    }

    /** What the newest frame says. */
    public FrameInfo last() {
        return last;
    }

    public int segmentCount() {
        return table.count();
    }

    /** Bytes of all segments, without the room ahead of the frames. */
    public long sizeBytes() {
        long bytes = 0;
        for (int i = 0; i < table.count(); i++) {
            bytes += table.get(i).end();
        }
        return bytes;
    }

    /** Where the image of the index is, or would be. */
    public Path imagePath() {
        return data.resolve(Images.NAME);
    }

    /**
     * Opens the image; the caller closes it.
     *
     * @return null if there is none
     * @throws CorruptStoreException if head or end are damaged, or it is not of this log
     */
    public @Nullable ImageReader image() throws IOException {
        if (!files.exists(imagePath())) {
            return null;
        }
        ImageReader image = ImageReader.open(files, imagePath());
        if (Images.fits(image.head(), table)) {
            return image;
        }
        image.close();
        throw new CorruptStoreException(imagePath(), 0, "the index image is not of this log");
    }

    /**
     * Shows every record, or, to who has the content of an image, what is not in it. May be called again: the counts
     * begin anew.
     */
    public void replay(@Nullable ImageReader image, RecordStore.Replay visitor) {
        for (int i = 0; i < table.count(); i++) {
            table.get(i).restore(NOTHING_COUNTED);
        }
        new LogReplay(table, image == null ? null : image.head(), visitor, new AtomicLong()).run();
    }

    /** Notes, after a replay, that nobody can reach a change. */
    public void release(long place) {
        Segment segment = table.find(Place.fileId(place));
        if (segment != null) {
            segment.released(segment.read(Place.offset(place)));
        }
    }

    /** Bytes of the changes that have not been released. */
    public long changeBytesInUse() {
        long bytes = 0;
        for (int i = 0; i < table.count(); i++) {
            bytes += table.get(i).changeBytesInUse();
        }
        return bytes;
    }
}

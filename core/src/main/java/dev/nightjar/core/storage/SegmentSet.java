/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.storage;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The segments of an open log and the names of their files. The apply thread adds a new one, maintenance puts packed ones in
 * the place of others; any thread reads the table.
 */
final class SegmentSet {

    private final FileSystem files;
    private final Path data;
    private final AtomicReference<SegmentTable> table;
    private final AtomicInteger nextFileId;
    /** Whether a segment has been added whose name may not be durable; set before the segment gets a frame. */
    private volatile boolean namesChanged;

    SegmentSet(FileSystem files, Path data, Recovery.Result recovered) {
        this.files = files;
        this.data = data;
        this.table = new AtomicReference<>(new SegmentTable(recovered.segments(), List.of()));
        this.nextFileId = new AtomicInteger(recovered.nextFileId());
    }

    SegmentTable table() {
        return table.get();
    }

    /** An id that no file has or had. */
    int takeFileId() {
        return nextFileId.getAndIncrement();
    }

    /** Bytes of all segments, without the room ahead of the frames. */
    long sizeBytes() {
        SegmentTable all = table.get();
        long bytes = 0;
        for (int i = 0; i < all.count(); i++) {
            bytes += all.get(i).end();
        }
        return bytes;
    }

    /** Makes the names of all files durable. */
    void syncNames() throws IOException {
        files.syncDirectory(data);
    }

    /** Makes the names of segments added since the last call durable. */
    void syncChangedNames() throws IOException {
        if (namesChanged) {
            namesChanged = false;
            syncNames();
        }
    }

    /** Adds an empty segment behind all others. */
    Segment add(SegmentHeader header, long targetBytes) throws IOException {
        Segment next = Segment.create(files, data.resolve(SegmentName.of(header).toString()), header);
        next.growTo(targetBytes);
        namesChanged = true;
        table.updateAndGet(before -> before.with(next));
        return next;
    }

    /** A file for the packed form of some segments, under a temporary name. */
    Segment createPacked(SegmentHeader header) throws IOException {
        return Segment.create(files, data.resolve(SegmentName.of(header) + Recovery.TEMPORARY), header);
    }

    /** Gives a complete packed file its name and lets it take the place of the segments that it was made of. */
    void install(Segment packed, SegmentHeader header, List<Segment> run) throws IOException {
        packed.finish(header, files, data.resolve(SegmentName.of(header).toString()));
        syncNames();
        table.updateAndGet(before -> before.replace(run, packed));
    }

    /** Removes segments whose content is in a packed file and whose places nobody has any more. */
    void retire(List<Segment> run) throws IOException {
        table.updateAndGet(SegmentTable::withoutRetired);
        for (Segment segment : run) {
            files.delete(segment.path());
        }
    }

    /** Closes all files as they are. */
    void closeFiles() throws IOException {
        SegmentTable all = table.get();
        for (int i = 0; i < all.count(); i++) {
            all.get(i).closeFile();
        }
    }
}

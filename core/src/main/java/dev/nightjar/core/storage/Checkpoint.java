/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.storage;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The file {@code checkpoint} of a copy of the log: it is written last, and says where the log ends, so that neither a
 * missing nor a shortened segment goes unnoticed.
 *
 * @param endPosition how far the log has come with the end of the last segment
 * @param last what the newest frame says
 */
record Checkpoint(long endPosition, FrameInfo last) {

    private static final String FILE = "checkpoint";
    private static final String END = "end";
    private static final String APPLIED_INDEX = "applied-index";
    private static final String APPLIED_TERM = "applied-term";
    private static final String REVISION = "revision";
    private static final String COMPACTED = "compacted-revision";

    /**
     * Makes a copy of all sealed segments at the beginning of a log, and of its image, by hard links.
     *
     * @param table of a log that is durable to its end
     * @param target an empty directory
     */
    static void take(FileSystem files, SegmentTable table, Images images, Path target) throws IOException {
        int shared = table.count() - 1;
        while (!table.get(shared).isSealed()) {
            shared--;
        }
        for (int i = 0; i <= shared; i++) {
            Path path = table.get(i).path();
            files.link(target.resolve(String.valueOf(path.getFileName())), path);
        }
        images.link(target);
        files.syncDirectory(target);
        FrameInfo last = table.get(shared + 1).header().before();
        new Checkpoint(table.get(shared).endPosition(), last).write(files, target);
    }

    private void write(FileSystem files, Path directory) throws IOException {
        Map<String, String> values = new LinkedHashMap<>();
        values.put(END, HexFormat.of().toHexDigits(endPosition));
        values.put(APPLIED_INDEX, Long.toString(last.appliedIndex()));
        values.put(APPLIED_TERM, Long.toString(last.appliedTerm()));
        values.put(REVISION, Long.toString(last.revision()));
        values.put(COMPACTED, Long.toString(last.compactedRevision()));
        TextFile.write(files, directory.resolve(FILE), FILE, values);
    }

    static Checkpoint read(FileSystem files, Path directory) throws IOException {
        Path path = directory.resolve(FILE);
        if (!files.exists(path)) {
            throw new CorruptStoreException(path, 0, "the file is missing: the checkpoint is not complete");
        }
        Map<String, String> values = TextFile.read(files, path, FILE);
        try {
            return new Checkpoint(
                    HexFormat.fromHexDigitsToLong(text(values, END)),
                    new FrameInfo(
                            Long.parseLong(text(values, APPLIED_INDEX)),
                            Long.parseLong(text(values, APPLIED_TERM)),
                            Long.parseLong(text(values, REVISION)),
                            Long.parseLong(text(values, COMPACTED))));
        } catch (IllegalArgumentException e) {
            throw new CorruptStoreException(path, 0, "a number is missing or malformed");
        }
    }

    /** Checks every byte of the copy in a directory and changes nothing; the files are closed again. */
    Recovery.Inspection inspect(FileSystem files, Path directory) throws IOException {
        Recovery.Inspection inspection = Recovery.inspect(new ReadOnlyFileSystem(files), directory, endPosition, true);
        Recovery.Result found = inspection.result();
        found.closeFiles();
        Segment end = found.segments().getLast();
        if (end.endPosition() != endPosition || !found.last().equals(last)) {
            throw new CorruptStoreException(end.path(), end.end(), "the log does not end where the checkpoint does");
        }
        return inspection;
    }

    /** Checks a checkpoint, in which nothing may be left to repair: its files are shared with whoever made it. */
    private static Recovery.Result requireWhole(FileSystem files, Path checkpoint) throws IOException {
        Recovery.Inspection inspection = read(files, checkpoint).inspect(files, checkpoint);
        if (!inspection.findings().isEmpty()) {
            Finding finding = inspection.findings().getFirst();
            throw new CorruptStoreException(Path.of(finding.file()), finding.offset(), finding.what());
        }
        return inspection.result();
    }

    /** Checks a checkpoint and makes its files, by hard links, the log of a store. */
    static void install(FileSystem files, Path checkpoint, StoreDirectory store) throws IOException {
        Recovery.Result source = requireWhole(files, checkpoint);
        Segment last = source.segments().getLast();
        Path data = store.createNext();
        for (Segment segment : source.segments()) {
            files.link(data.resolve(SegmentName.of(segment.header()).toString()), segment.path());
        }
        Path image = checkpoint.resolve(Images.NAME);
        if (files.exists(image)) {
            files.link(data.resolve(Images.NAME), image);
        }
        // What the checkpoint shares is never appended to.
        SegmentHeader next = SegmentHeader.after(last, source.nextFileId(), source.last(), last.endPosition());
        Segment.create(files, data.resolve(SegmentName.of(next).toString()), next)
                .seal();
        store.switchTo(data);
    }

    private static String text(Map<String, String> values, String name) {
        String value = values.get(name);
        if (value == null) {
            throw new IllegalArgumentException(name);
        }
        return value;
    }
}

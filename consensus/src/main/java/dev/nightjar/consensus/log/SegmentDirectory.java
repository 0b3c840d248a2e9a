/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.consensus.log;

import dev.nightjar.consensus.LogCorruptException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The files of a log and the record of where it begins. Log thread, and the thread that opens the log.
 *
 * <p>A segment belongs to a <em>generation</em>; a reset of the log starts the next one. The state file {@code first} names
 * the generation that counts and the first index. A reset makes the new generation's segment, then replaces {@code first},
 * then removes the old segments: whenever a crash comes, exactly one generation counts, and the files of every other one
 * are left-overs.
 */
final class SegmentDirectory {
    private static final String FIRST = "first";
    private static final String UNFINISHED = "new.tmp";

    private final LogFiles files;
    private final StateFile first;
    private final LogOptions options;
    private final SegmentPreparer preparer;
    private final List<Segment> opened = new ArrayList<>();
    private long generation;
    private long firstIndex;

    SegmentDirectory(LogFiles files, LogOptions options, SegmentPreparer preparer) {
        this.files = files;
        this.options = options;
        this.preparer = preparer;
        this.first = new StateFile(files, FIRST, options.sync());
    }

    /** The first index that counts. */
    long firstIndex() {
        return firstIndex;
    }

    /** Opens the segments that count, in order and unread; creates the first one of a fresh log. */
    List<Segment> open() throws IOException {
        byte @Nullable [] state = first.read();
        List<Segment> found = openAll();
        if (state == null) {
            return List.of(openFresh(found));
        }
        ByteBuffer content = ByteBuffer.wrap(state);
        if (content.remaining() != 16) {
            throw new LogCorruptException(files.describe(FIRST), 0, "unexpected content");
        }
        generation = content.getLong();
        firstIndex = content.getLong();
        List<Segment> current = new ArrayList<>();
        for (Segment segment : found) {
            if (segment.header.generation() == generation) {
                current.add(segment);
            } else {
                remove(segment);
            }
        }
        while (current.size() > 1 && current.get(1).firstIndex() <= firstIndex) {
            remove(current.removeFirst());
        }
        if (current.isEmpty() || current.getFirst().firstIndex() > firstIndex) {
            throw new LogCorruptException(
                    files.describe(FIRST), 0, "the segment with entry " + firstIndex + " is missing");
        }
        return current;
    }

    private Segment openFresh(List<Segment> found) throws IOException {
        for (Segment leftOver : found) {
            if (leftOver.header.generation() != 0
                    || leftOver.firstIndex() != 1
                    || found.size() > 1
                    || holdsRecord(leftOver)) {
                throw new LogCorruptException(files.describe(FIRST), 0, "the file is missing, but there are segments");
            }
        }
        for (Segment leftOver : found) {
            remove(leftOver);
        }
        generation = 0;
        firstIndex = 1;
        Segment segment = create(new SegmentHeader(0, 1), options.nextSegmentBytes(0));
        writeFirst();
        return segment;
    }

    /** A log that was never completely created has a segment of zeros behind its header. */
    private static boolean holdsRecord(Segment segment) throws IOException {
        ByteBuffer head = ByteBuffer.allocate(RecordFormat.HEADER_BYTES);
        segment.file.read(head, SegmentHeader.BYTES);
        head.flip();
        while (head.hasRemaining()) {
            if (head.get() != 0) {
                return true;
            }
        }
        return false;
    }

    private List<Segment> openAll() throws IOException {
        List<Segment> found = opened;
        for (String name : files.list()) {
            if (!SegmentHeader.isSegmentName(name)) {
                continue;
            }
            found.add(openOne(name));
        }
        found.sort(Comparator.comparingLong(Segment::firstIndex));
        return List.copyOf(found);
    }

    private Segment openOne(String name) throws IOException {
        LogFile file = files.open(name);
        try {
            SegmentHeader header = SegmentHeader.read(file, files.describe(name));
            if (!header.fileName().equals(name)) {
                throw new LogCorruptException(files.describe(name), 0, "the header belongs to " + header.fileName());
            }
            return new Segment(header, file, file.size());
        } catch (IOException e) {
            file.close();
            throw e;
        }
    }

    /** Closes what was opened, after a failure to open the rest. */
    void closeOpened() throws IOException {
        for (Segment segment : opened) {
            segment.close();
        }
    }

    /** Creates the segment that follows one of {@code previousBytes} bytes. */
    Segment next(long index, long previousBytes) throws IOException {
        return create(new SegmentHeader(generation, index), options.nextSegmentBytes(previousBytes));
    }

    /** Asks for the segment that will follow one of {@code previousBytes} bytes. */
    void prepareNext(long previousBytes) {
        preparer.prepare(options.nextSegmentBytes(previousBytes));
    }

    private Segment create(SegmentHeader header, int bytes) throws IOException {
        String source;
        long limit;
        if (preparer.isReady()) {
            source = SegmentPreparer.PREPARED;
            try (LogFile file = files.open(source)) {
                limit = file.size();
                file.write(header.encode(), 0);
                file.sync();
            }
        } else {
            source = UNFINISHED;
            limit = bytes;
            try (LogFile file = files.create(source)) {
                int prepared = Math.min(bytes, LogOptions.FIRST_SEGMENT_BYTES);
                file.write(
                        ByteBuffer.allocateDirect(prepared).put(header.encode()).clear(), 0);
                file.sync();
            }
        }
        files.rename(source, header.fileName());
        files.syncDirectory();
        return new Segment(header, files.open(header.fileName()), limit);
    }

    /** Moves the first index, durably. */
    void moveFirst(long index) throws IOException {
        firstIndex = index;
        writeFirst();
    }

    /** Starts the next generation with an empty segment at {@code index}, durably. The old segments no longer count. */
    Segment reset(long index) throws IOException {
        Segment segment = create(new SegmentHeader(generation + 1, index), options.nextSegmentBytes(0));
        generation++;
        firstIndex = index;
        writeFirst();
        return segment;
    }

    private void writeFirst() throws IOException {
        first.write(
                ByteBuffer.allocate(16).putLong(generation).putLong(firstIndex).array());
    }

    /** Closes a segment and removes its file, durably. */
    void remove(Segment segment) throws IOException {
        segment.close();
        files.delete(segment.header.fileName());
        files.syncDirectory();
    }

    String describe(Segment segment) {
        return files.describe(segment.header.fileName());
    }
}

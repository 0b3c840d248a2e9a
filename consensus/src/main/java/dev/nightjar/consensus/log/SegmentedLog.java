/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.consensus.log;

import dev.nightjar.consensus.LogCheck;
import dev.nightjar.consensus.LogCorruptException;
import dev.nightjar.consensus.LogObserver;
import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The consensus log: entries {@code firstIndex} to {@code lastIndex} without gaps, in segment files. Written by one thread
 * (the engine's log thread); {@link #read}, {@link #firstIndex} and {@link #lastIndex} may be called by any thread.
 *
 * <p>After the first error of a write or a sync the log is failed for good: what is on disk is then unknown, and a second
 * sync that succeeds would prove nothing.
 */
public final class SegmentedLog implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(SegmentedLog.class);

    private final SegmentDirectory directory;
    private final SegmentPreparer preparer;
    private final GroupWriter writer;
    private final ReadAhead readAhead = new ReadAhead();
    private final Executor helper;

    /** The segments in order, never empty. Replaced as a whole by the log thread. */
    private volatile Segment[] segments;

    private volatile long firstIndex;
    private final long recoveredTerm;
    private volatile @Nullable Throwable failure;

    /** The removals on the helper, one after another. */
    private CompletableFuture<Void> removing = CompletableFuture.completedFuture(null);

    private SegmentedLog(
            SegmentDirectory directory, SegmentPreparer preparer, LogOptions options, Recovered recovered) {
        this.directory = directory;
        this.preparer = preparer;
        this.writer = new GroupWriter(options);
        this.helper = options.helper();
        this.segments = recovered.segments().toArray(new Segment[0]);
        this.recoveredTerm = recovered.lastTerm();
        this.firstIndex = directory.firstIndex();
    }

    /**
     * Opens the log of a directory, or makes an empty one whose next index is 1.
     *
     * @param listener sees the entries that are no ordinary commands
     * @throws LogCorruptException if a file is damaged in a way that no crash explains
     */
    public static SegmentedLog open(LogFiles files, LogOptions options, RecoveryListener listener) throws IOException {
        SegmentPreparer preparer = new SegmentPreparer(files, options.helper());
        SegmentDirectory directory = new SegmentDirectory(files, options, preparer);
        boolean opened = false;
        try {
            List<Segment> all = directory.open();
            long lastTerm = recover(all, directory, listener);
            opened = true;
            return new SegmentedLog(directory, preparer, options, new Recovered(all, lastTerm));
        } finally {
            if (!opened) {
                preparer.close();
                directory.closeOpened();
            }
        }
    }

    /** The files of a log that is only looked at; {@code repairs} hears of what would be cut or removed. */
    public static LogFiles readOnly(Path directory, Consumer<LogCheck.Repair> repairs) {
        return new ReadOnlyLogFiles(directory, repairs);
    }

    /** Reads a log that is there and is only looked at, as {@link #open} does; it takes no entries. */
    public static SegmentedLog check(LogFiles files) throws IOException {
        LogOptions options =
                new LogOptions(LogOptions.MAX_SEGMENT_BYTES, false, () -> 0, LogObserver.NONE, Runnable::run);
        return open(files, options, entry -> {});
    }

    /** The segments, read through, and the term of their last entry. */
    private record Recovered(List<Segment> segments, long lastTerm) {}

    private static long recover(List<Segment> all, SegmentDirectory directory, RecoveryListener listener)
            throws IOException {
        long term = 0;
        for (int i = 0; i < all.size(); i++) {
            Segment segment = all.get(i);
            boolean isLast = i == all.size() - 1;
            term = new SegmentRecovery(segment, directory.describe(segment), term, listener).recover(isLast);
            if (!isLast && segment.lastIndex() + 1 != all.get(i + 1).firstIndex()) {
                throw new LogCorruptException(
                        directory.describe(segment),
                        segment.endOffset(),
                        "entry " + (segment.lastIndex() + 1) + " is missing");
            }
        }
        Segment last = all.getLast();
        if (last.lastIndex() < directory.firstIndex() - 1) {
            throw new LogCorruptException(
                    directory.describe(last), last.endOffset(), "entry " + (last.lastIndex() + 1) + " is missing");
        }
        return term;
    }

    /** The index of the oldest entry that counts; {@code lastIndex() + 1} if there is none. */
    public long firstIndex() {
        return firstIndex;
    }

    /** The index of the newest entry. */
    public long lastIndex() {
        return tail().lastIndex();
    }

    /** The term of the newest entry found when the log was opened, 0 if there was none. */
    public long recoveredTerm() {
        return recoveredTerm;
    }

    /** Reads an entry, or returns null if the log does not hold it. */
    public @Nullable LogRecord read(long index) throws IOException {
        Segment[] all = segments;
        int i = all.length - 1;
        while (i > 0 && all[i].firstIndex() > index) {
            i--;
        }
        Segment segment = all[i];
        long offset = segment.offsetOf(index);
        if (offset < 0) {
            return null;
        }
        try {
            return readAhead.read(segment, offset, index, () -> directory.describe(segment));
        } catch (ClosedChannelException e) {
            if (index < firstIndex) {
                return null;
            }
            throw e;
        }
    }

    /**
     * Appends a group of entries that follow {@link #lastIndex}. They are durable when this returns. If it throws, none of
     * them may be taken for durable and the log takes no more.
     */
    public void append(List<LogRecord> entries) throws IOException {
        change(() -> {
            Segment tail = tail();
            long next = tail.lastIndex() + 1;
            writer.begin(tail.endOffset());
            for (LogRecord entry : entries) {
                if (entry.index() != next++) {
                    throw new IllegalArgumentException("entry " + entry.index() + " where " + (next - 1) + " belongs");
                }
                if (!tail.hasRoom(
                        writer.position(), RecordFormat.sizeOf(entry.payload().remaining()))) {
                    writer.finish(tail);
                    tail = roll(tail);
                    writer.begin(tail.endOffset());
                }
                writer.add(tail, entry);
            }
            writer.finish(tail);
            if (tail.endOffset() > tail.limitBytes() / 2) {
                directory.prepareNext(tail.limitBytes());
            }
        });
    }

    private Segment roll(Segment full) throws IOException {
        Segment next = directory.next(full.lastIndex() + 1, full.limitBytes());
        Segment[] old = segments;
        Segment[] all = Arrays.copyOf(old, old.length + 1);
        all[old.length] = next;
        segments = all;
        return next;
    }

    /**
     * Forgets the entries below {@code index}, durably. If none is left the next entry is {@code index}.
     *
     * <p>Their segments go with the next cut or at the next start: a reader that was on its way to one of them still gets it. If no
     * entry is left they go at once.
     */
    public void truncatePrefix(long index) throws IOException {
        if (index > lastIndex() + 1) {
            reset(index);
            return;
        }
        change(() -> {
            if (index <= firstIndex) {
                return;
            }
            Segment tail = tail();
            boolean emptied = index > tail.lastIndex();
            if (emptied && tail.endOffset() > LogOptions.FIRST_SEGMENT_BYTES) {
                // Else it would take its room for as long as nothing comes, which on a full disk may be for ever.
                roll(tail);
            }
            directory.moveFirst(index);
            List<Segment> kept = new ArrayList<>(List.of(segments));
            List<Segment> gone = new ArrayList<>();
            while (kept.size() > 1 && kept.get(1).firstIndex() <= (emptied ? index : firstIndex)) {
                gone.add(kept.removeFirst());
            }
            firstIndex = index;
            segments = kept.toArray(new Segment[0]);
            removeLater(gone);
        });
    }

    /** Forgets the entries behind {@code index}, durably. */
    public void truncateSuffix(long index) throws IOException {
        if (index < firstIndex - 1) {
            throw new IllegalArgumentException("cannot keep entry " + index + " of a log that starts at " + firstIndex);
        }
        change(() -> {
            List<Segment> kept = new ArrayList<>(List.of(segments));
            while (kept.size() > 1 && kept.getLast().firstIndex() > index) {
                Segment removed = kept.removeLast();
                segments = kept.toArray(new Segment[0]);
                remove(removed);
            }
            kept.getLast().truncateSuffix(index);
        });
    }

    /** Forgets all entries, durably; the next one is {@code index}. */
    public void reset(long index) throws IOException {
        change(() -> {
            Segment[] old = segments;
            Segment fresh = directory.reset(index);
            segments = new Segment[] {fresh};
            firstIndex = index;
            removeLater(List.of(old));
        });
    }

    /** Removes segments that no longer count, from the oldest on. What a crash leaves of them goes at the next start. */
    private void removeLater(List<Segment> gone) {
        removing = removing.thenRunAsync(
                () -> {
                    try {
                        for (Segment segment : gone) {
                            remove(segment);
                        }
                    } catch (IOException e) {
                        LOG.warn("could not remove a log segment that is no longer needed: {}", e.toString());
                    }
                },
                helper);
    }

    private void remove(Segment segment) throws IOException {
        readAhead.forget(segment);
        directory.remove(segment);
    }

    private Segment tail() {
        Segment[] all = segments;
        return all[all.length - 1];
    }

    private void change(Change change) throws IOException {
        Throwable earlier = failure;
        if (earlier != null) {
            throw new IOException("the log has failed before", earlier);
        }
        try {
            change.run();
        } catch (IOException | RuntimeException | Error e) {
            failure = e;
            throw e;
        }
    }

    /** A step of the log thread that may fail. */
    private interface Change {
        void run() throws IOException;
    }

    /** Closes all files. */
    @Override
    public void close() throws IOException {
        preparer.close();
        removing.join();
        for (Segment segment : segments) {
            segment.close();
        }
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.storage;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;

/**
 * The scans of a log's files, several at a time where the file system has use for it, handed out in the order of the log.
 * Belongs to the thread that opens the log; none of its own threads outlives it.
 */
final class SegmentScans implements AutoCloseable {

    private final FileSystem files;
    private final Path directory;
    private final List<SegmentName> names;
    /** As many as files are read at the same time: each is as large as a segment. */
    private final BlockingQueue<FileImage> images = new LinkedBlockingQueue<>();

    private final int width;
    private final @Nullable ExecutorService readers;
    private final List<Future<@Nullable SegmentScan>> ahead = new ArrayList<>();
    private final BitSet taken = new BitSet();
    private int next;
    private volatile boolean stopped;

    SegmentScans(FileSystem files, Path directory, List<SegmentName> names) {
        this.files = files;
        this.directory = directory;
        this.names = names;
        this.width = Math.min(files.readers(), names.size());
        for (int i = 0; i < width; i++) {
            images.add(new FileImage());
        }
        this.readers = width > 1 ? Executors.newFixedThreadPool(width, SegmentScans::thread) : null;
        if (readers != null) {
            for (SegmentName name : names) {
                ahead.add(readers.submit(() -> stopped ? null : scan(name)));
            }
        }
    }

    private static Thread thread(Runnable work) {
        return Thread.ofPlatform().daemon().name("nightjar-recovery").unstarted(work);
    }

    private SegmentScan scan(SegmentName name) throws IOException, InterruptedException {
        FileImage image = images.take();
        try {
            return SegmentScan.of(files, directory, name, image);
        } finally {
            images.add(image);
        }
    }

    /** The scan of the next file; the caller owns its segment. */
    SegmentScan next() throws IOException {
        int number = next++;
        try {
            SegmentScan scan = ahead.isEmpty()
                    ? scan(names.get(number))
                    : ahead.get(number).get();
            if (scan == null) {
                throw new IllegalStateException("closed");
            }
            taken.set(number);
            return scan;
        } catch (ExecutionException e) {
            switch (e.getCause()) {
                case CorruptStoreException damage -> throw damage;
                case IOException failure -> throw failure;
                case null, default -> throw new IllegalStateException("a segment could not be scanned", e);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while segments were scanned", e);
        }
    }

    /** Passes over the next file. */
    void skip() {
        next++;
    }

    /** Ends what still goes on, and closes the files of scans that were not handed out. */
    @Override
    public void close() throws IOException {
        stopped = true;
        if (readers != null) {
            readers.close();
        }
        for (int i = 0; i < ahead.size(); i++) {
            Future<@Nullable SegmentScan> each = ahead.get(i);
            SegmentScan scan = !taken.get(i) && each.state() == Future.State.SUCCESS ? each.resultNow() : null;
            if (scan != null) {
                scan.discard();
            }
        }
        for (FileImage image : images) {
            image.close();
        }
    }
}

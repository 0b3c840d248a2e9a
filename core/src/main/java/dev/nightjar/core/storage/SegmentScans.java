/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.storage;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The scans of a log's files, handed out in the order of the log. Belongs to the thread that opens the log; helpers scan
 * files ahead of it where the file system has use for that. What they do is over when this is closed.
 */
final class SegmentScans implements AutoCloseable {

    private final FileSystem files;
    private final Path directory;
    private final List<SegmentName> names;
    private final @Nullable ImageHead image;
    private final List<CompletableFuture<SegmentScan>> scans = new ArrayList<>();
    /** Memory for files that nobody scans just now. */
    private final Queue<FileWindow> windows = new ConcurrentLinkedQueue<>();

    /** Number of the first file that nobody has begun. */
    private final AtomicInteger begun = new AtomicInteger();

    private int next;

    /**
     * @param image as in {@link SegmentScan#of}
     * @param helpers runs scans ahead; it may do so late, or at once on the caller's thread
     */
    SegmentScans(
            FileSystem files, Path directory, List<SegmentName> names, @Nullable ImageHead image, Executor helpers) {
        this.files = files;
        this.directory = directory;
        this.names = names;
        this.image = image;
        names.forEach(name -> scans.add(new CompletableFuture<>()));
        for (int i = 1; i < Math.min(files.readers(), names.size()); i++) {
            helpers.execute(() -> {
                while (scanAhead()) {}
            });
        }
    }

    /** Scans the first file that nobody has begun; false if there is none. */
    private boolean scanAhead() {
        int number = begun.getAndIncrement();
        if (number >= names.size()) {
            return false;
        }
        FileWindow free = windows.poll();
        FileWindow window = free == null ? new FileWindow() : free;
        CompletableFuture<SegmentScan> result = scans.get(number);
        try {
            SegmentScan scan = SegmentScan.of(files, directory, names.get(number), window, image);
            windows.add(window); // before anybody can see that this is done, and close all
            result.complete(scan);
        } catch (IOException | RuntimeException | Error e) {
            windows.add(window);
            result.completeExceptionally(e);
        }
        return true;
    }

    /** The scan of the next file; the caller owns its segment. */
    SegmentScan next() throws IOException {
        CompletableFuture<SegmentScan> wanted = scans.get(next);
        while (!wanted.isDone() && scanAhead()) {}
        SegmentScan scan;
        try {
            scan = wanted.join();
        } catch (CompletionException e) {
            switch (e.getCause()) {
                case CorruptStoreException damage -> throw damage;
                case IOException failure -> throw failure;
                case null, default -> throw new IllegalStateException("a segment could not be scanned", e);
            }
        }
        scans.set(next++, CompletableFuture.failedFuture(new IllegalStateException("handed out")));
        return scan;
    }

    /** Passes over the next file. */
    void skip() {
        next++;
    }

    /** Waits for what is being scanned, and closes the files that were not handed out. */
    @Override
    public void close() throws IOException {
        int end = Math.min(begun.getAndSet(names.size()), names.size());
        for (int i = 0; i < end; i++) {
            SegmentScan scan = scans.get(i).exceptionally(failure -> null).join();
            if (scan != null) {
                scan.discard();
            }
        }
        for (FileWindow window : windows) {
            window.close();
        }
    }
}

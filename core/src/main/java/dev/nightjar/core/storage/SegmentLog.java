/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.storage;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Executor;

/**
 * A {@link RecordStore} in append-only segment files. The apply thread appends; any thread reads.
 */
@SuppressWarnings("DoNotCallSuggester")
public final class SegmentLog implements RecordStore {

    private SegmentLog() {}

    /**
     * Opens the log of a directory and locks it; an empty or missing directory becomes a fresh log.
     *
     * @throws CorruptStoreException if a file holds something else than what was written
     * @throws IOException also if another process has the directory
     */
    public static SegmentLog open(Options options) throws IOException {
        throw new UnsupportedOperationException();
    }

    /**
     * Replaces the log of a directory (not open now) by that of a checkpoint, after checking the checkpoint. A crash
     * leaves either the old or the new one.
     */
    public static void restore(Options options, Path checkpoint) throws IOException {
        throw new UnsupportedOperationException();
    }

    @Override
    public void close() throws IOException {
        throw new UnsupportedOperationException();
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

    /** Large enough that files stay few, small enough that a dead one is soon found. */
    public static final long SEGMENT_BYTES = 64L << 20;
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.storage;

import java.io.IOException;
import java.nio.file.Path;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Where records live, in order of revision, written a frame at a time. A failed write stops the store: every later call
 * throws {@link StoreFailedException}.
 */
public interface RecordStore extends AutoCloseable {

    // ---- any thread

    /** The records that are readable now. What it returns stays readable, whatever happens to the store. */
    Places places();

    /** What the newest frame says. */
    FrameInfo last();

    /**
     * Shows the changes with {@code from <= revision <= to}, in order.
     *
     * @return the revision at which the visitor stopped by returning false, {@code to + 1} if it saw all
     */
    long scan(long from, long to, Predicate<StoredRecord> visitor);

    /** Bytes of all records and what surrounds them. */
    long sizeBytes();

    /**
     * Makes durable what has been appended.
     *
     * @return the applied index of the newest durable frame
     */
    long sync() throws IOException;

    // ---- apply thread

    /** Shows every record from the first on. Before the first {@link #begin}. */
    void replay(Replay visitor);

    /** Begins a frame; the one begun before, if it was not appended, is forgotten. */
    Frame begin();

    /** Writes the frame begun last, as one unit. */
    void append(Frame frame, FrameInfo info);

    /** Puts a durable copy into an existing empty directory of the same file system. */
    void checkpoint(Path directory) throws IOException;

    @Override
    void close() throws IOException;

    /** Finds records by place. */
    @FunctionalInterface
    interface Places {
        /** The record, null if its segment is gone. */
        @Nullable
        StoredRecord read(long place);
    }

    /** Sees records with their places. */
    @FunctionalInterface
    interface Replay {
        void record(long place, StoredRecord record);
    }
}

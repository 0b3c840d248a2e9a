/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.mvcc;

import java.nio.ByteBuffer;

/**
 * A part of an answer that is copied piece by piece, and has a length that is known before the first. One thread at a time,
 * except for {@link #holdsCompaction}.
 */
public interface LongRead extends AutoCloseable {

    /** Bytes of the whole part. */
    long bytes();

    /** Whether everything has been copied. */
    boolean isDone();

    /**
     * Copies on, as much as there is room for. May stop a few bytes earlier.
     *
     * @param target direct; filled from its position on, with at least {@link RangeCursor#MAX_HEAD_BYTES} bytes of room
     */
    void copy(ByteBuffer target);

    /** Whether a compaction has passed the revision that is read, and cannot do its work because of this. Any thread. */
    boolean holdsCompaction();

    /** Lets go of everything. Further calls do nothing. */
    @Override
    void close();
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.consensus.log;

import dev.nightjar.consensus.LogObserver;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;

/**
 * How a log works.
 *
 * @param segmentBytes the size of a full-grown segment
 * @param sync whether appends are made durable before they return; false loses acknowledged entries in a power cut
 * @param ticker nanoseconds of a steady clock, for the observer
 * @param observer is told about writes and syncs
 * @param helper runs what may take long: the preparation of the next segment, the removal of old ones
 */
public record LogOptions(int segmentBytes, boolean sync, LongSupplier ticker, LogObserver observer, Executor helper) {

    /** The first segment of a log, small so that a fresh member starts at once; each one after is twice as large. */
    public static final int FIRST_SEGMENT_BYTES = 1 << 20;

    /** Offsets in a segment are 32 bits wide. */
    public static final int MAX_SEGMENT_BYTES = 1 << 30;

    public LogOptions {
        if (segmentBytes < 4096 || segmentBytes > MAX_SEGMENT_BYTES) {
            throw new IllegalArgumentException("segmentBytes out of range: " + segmentBytes);
        }
    }

    /** The size of the segment that follows one of {@code previousBytes}. */
    int nextSegmentBytes(long previousBytes) {
        return (int) Math.min(segmentBytes, Math.max(FIRST_SEGMENT_BYTES, 2 * previousBytes));
    }
}

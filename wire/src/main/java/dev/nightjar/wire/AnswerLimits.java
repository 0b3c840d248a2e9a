/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.wire;

import io.netty.util.internal.PlatformDependent;

/**
 * How much memory answers may take; see {@link AnswerRoom}.
 *
 * @param queuedBytes answers of one connection that may wait for the client; beyond, its further calls wait too
 * @param largeBytes the same for calls whose answers may be large, with those that are being made
 * @param memoryBytes direct memory of the process beyond which no large answer is made
 * @param waitingCalls calls of one connection that may wait for room; further ones are refused
 */
record AnswerLimits(long queuedBytes, long largeBytes, long memoryBytes, int waitingCalls) {

    /** Dozens of the largest usual answers; a client that lets more pile up is not reading. */
    private static final long QUEUED_BYTES = 256L << 20;

    /** Some large answers keep any network busy; the rest of the room is for what should not wait behind them. */
    private static final long LARGE_BYTES = 64L << 20;

    /** No connection gets more than this share of the direct memory. */
    private static final int CONNECTION_SHARE = 8;

    /** What is left of the direct memory beyond large answers, as a share: for requests and small answers. */
    private static final int SMALL_SHARE = 4;

    /** Some kilobytes of heap each; a client with more calls at a time does not look at their answers. */
    private static final int WAITING_CALLS = 10_000;

    static AnswerLimits defaults() {
        return of(PlatformDependent.maxDirectMemory());
    }

    /** The limits where so much direct memory can be had. */
    static AnswerLimits of(long directBytes) {
        long share = directBytes / CONNECTION_SHARE;
        return new AnswerLimits(
                Math.min(QUEUED_BYTES, share),
                Math.min(LARGE_BYTES, share),
                directBytes - directBytes / SMALL_SHARE,
                WAITING_CALLS);
    }
}

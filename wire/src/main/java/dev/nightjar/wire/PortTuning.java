/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.wire;

import java.time.Duration;

/**
 * Guards that no flag sets; a test may lower them to reach them.
 *
 * @param headerTimeout how long a client may take for its first bytes, for an HTTP/1.1 request, and between two of them
 * @param heldBytes request bytes of one connection that may wait for the rest of their message or for a paused reader
 * @param answers how much memory answers may take
 * @param rstFrames resets that a client may send within {@link #RST_WINDOW_SECONDS}
 */
record PortTuning(Duration headerTimeout, long heldBytes, AnswerLimits answers, int rstFrames) {

    /** Window of the reset guard. */
    static final int RST_WINDOW_SECONDS = 30;

    /** Slow enough for any honest client, and as long as etcd waits for a header. */
    private static final Duration HEADER_TIMEOUT = Duration.ofMinutes(5);

    /** Well over a hundred half-arrived requests of the default largest size. */
    private static final long HELD_BYTES = 256L << 20;

    /** Clients that cancel many short watches send many resets; a flood sends thousands a second. */
    private static final int RST_FRAMES = 50_000;

    static PortTuning defaults() {
        return new PortTuning(HEADER_TIMEOUT, HELD_BYTES, AnswerLimits.defaults(), RST_FRAMES);
    }
}

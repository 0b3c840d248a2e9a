/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.node;

import java.time.Duration;

/**
 * How hard compaction works: it goes in steps, and between two of them writes come first.
 *
 * @param recordsInStep after so many records that are dropped a step ends, if not before
 * @param pauseMillis pause between steps
 */
public record CompactionPace(long recordsInStep, long pauseMillis) {

    /** Steps of some milliseconds with a pause that lets others in. */
    public static final CompactionPace DEFAULT = new CompactionPace(Long.MAX_VALUE, 1);

    /**
     * The pace that was asked for.
     *
     * @param recordsInStep 0 or less for the default
     * @param pause 0 or less for the default; less than a millisecond is one
     */
    public static CompactionPace of(long recordsInStep, Duration pause) {
        return new CompactionPace(
                recordsInStep <= 0 ? DEFAULT.recordsInStep : recordsInStep,
                pause.isZero() || pause.isNegative() ? DEFAULT.pauseMillis : Math.max(1, pause.toMillis()));
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.watch;

/**
 * Says when a shard may serve its synced watchers again; owned by its event loop.
 *
 * <p>After a turn the shard rests eight times as long as the turn took, up to {@link #GATHER_NANOS}, and after a longer
 * turn as long as that. The loop has that time for others, and what is written meanwhile is served together: each
 * watcher gets one response for several revisions, which costs server and client less than one response for each. Few
 * watchers are served in microseconds and wait for nothing; after a time without changes nobody waits at all.
 *
 * <pre>
 *   turn      40 µs   0.1 ms   0.25 ms   1 ms   3 ms   30 ms
 *   rest      none    0.8 ms      2 ms   2 ms   3 ms    5 ms
 * </pre>
 */
final class Pace {
    /** Longest rest: however many watchers a key has, nobody waits for longer than that on top of the work itself. */
    static final long MAX_REST_NANOS = 5_000_000;

    /** What is written in so long a time is worth gathering, whatever it costs to send. */
    static final long GATHER_NANOS = 2_000_000;

    /** After a shorter turn there is no rest: a timer would cost more than it saves. */
    static final long MIN_TURN_NANOS = 50_000;

    /** Below {@link #GATHER_NANOS} the turns take at most a ninth of the time while writes go on. */
    private static final int REST_FOR_WORK = 8;

    private long workedNanos;
    private long restsUntilNanos;
    private boolean resting;

    /** Adds a part of a turn. */
    void worked(long nanos) {
        workedNanos += nanos;
    }

    /** The turn is over: everybody has got everything found. */
    void turnEnded(boolean rest, long nowNanos) {
        resting = rest && workedNanos >= MIN_TURN_NANOS;
        restsUntilNanos = nowNanos + restAfter(workedNanos);
        workedNanos = 0;
    }

    private static long restAfter(long work) {
        return work < GATHER_NANOS ? Math.min(REST_FOR_WORK * work, GATHER_NANOS) : Math.min(work, MAX_REST_NANOS);
    }

    /** Ends the rest. */
    void hurry() {
        resting = false;
    }

    /** How long the rest still takes; 0 if it is over. */
    long restNanos(long nowNanos) {
        if (resting && restsUntilNanos - nowNanos <= 0) {
            resting = false;
        }
        return resting ? restsUntilNanos - nowNanos : 0;
    }
}

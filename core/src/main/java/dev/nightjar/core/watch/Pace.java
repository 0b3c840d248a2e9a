/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.watch;

/**
 * Says when a shard may serve its synced watchers again; owned by its event loop.
 *
 * <p>After a turn the shard rests for as long as the turn took. The loop has that time for others, and what is written
 * meanwhile is served together: each watcher gets one response for several revisions, which costs server and client less
 * than one response for each. Few watchers are served in microseconds and wait no longer than that; after a time without
 * changes nobody waits at all.
 */
final class Pace {
    /** Longest rest: however many watchers a key has, nobody waits for longer than that on top of the work itself. */
    static final long MAX_REST_NANOS = 5_000_000;

    /** A shorter rest is none: a timer would cost more than it saves. */
    static final long MIN_REST_NANOS = 50_000;

    private long workedNanos;
    private long restsUntilNanos;
    private boolean resting;

    /** Adds a part of a turn. */
    void worked(long nanos) {
        workedNanos += nanos;
    }

    /** The turn is over: everybody has got everything found. */
    void turnEnded(boolean rest, long nowNanos) {
        resting = rest && workedNanos >= MIN_REST_NANOS;
        restsUntilNanos = nowNanos + Math.min(workedNanos, MAX_REST_NANOS);
        workedNanos = 0;
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

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.wire;

/**
 * Judges a client's pings; owned by its connection's loop.
 *
 * <p>A ping is bad if it comes sooner than allowed after the one before: {@code minTime} while a call is open, two hours
 * else. Sending headers or data forgives what was before. The third bad ping in a row breaks the rule:
 *
 * <pre>
 * ping      call open, 1st          good
 * ping      1 s later               bad, 1
 * (data sent)
 * ping      1 s later               good, the count starts again
 * </pre>
 */
final class PingRule {

    /** Bad pings in a row that are still forgiven. */
    static final int MAX_STRIKES = 2;

    /** Least time between two pings while no call is open. */
    static final long IDLE_MIN_NANOS = 2 * 3600L * 1_000_000_000L;

    private final long minNanos;
    private long lastPingNanos;
    private boolean pinged;
    private boolean forgiven;
    private int strikes;

    PingRule(long minNanos) {
        this.minNanos = minNanos;
    }

    /** Headers or data went out. */
    void forgive() {
        forgiven = true;
    }

    /** A ping came in; whether it breaks the rule. */
    boolean isBroken(long nowNanos, boolean callOpen) {
        boolean first = !pinged;
        long sinceNanos = nowNanos - lastPingNanos;
        pinged = true;
        lastPingNanos = nowNanos;
        if (forgiven) {
            forgiven = false;
            strikes = 0;
            return false;
        }
        if (!first && sinceNanos < (callOpen ? minNanos : IDLE_MIN_NANOS)) {
            strikes++;
        }
        return strikes > MAX_STRIKES;
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.observe;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.filter.Filter;
import ch.qos.logback.core.spi.FilterReply;
import dev.nightjar.server.config.LogLevel;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Keeps a flood of equal lines from drowning the others: of each message and level, a second shows the first hundred and
 * then every hundredth. Lines below the wanted level are dropped, too. Any thread.
 *
 * <p>Messages share a fixed number of counters by hash, so two messages may rarely share one. A counter holds its second
 * in the upper bits and its count in the lower ones, and changes in one step.
 */
final class LogSampler extends Filter<ILoggingEvent> {
    /** Lines of one message that a second shows in full: more than normal life ever has. */
    static final int FIRST = 100;

    /** After those, one line in so many. */
    static final int THEREAFTER = 100;

    /** Enough for all messages of the program to have one each, nearly; 32 KiB. */
    private static final int COUNTERS = 4096;

    private static final int COUNT_BITS = 24;
    private static final long COUNT_MASK = (1L << COUNT_BITS) - 1;

    private final LogLevel least;
    private final AtomicLongArray counters = new AtomicLongArray(COUNTERS);

    LogSampler(LogLevel least) {
        this.least = least;
    }

    @Override
    public FilterReply decide(ILoggingEvent event) {
        LogLevel level = LineEncoder.level(event);
        if (level.compareTo(least) < 0) {
            return FilterReply.DENY;
        }
        String message = event.getMessage();
        int hash =
                31 * (message == null ? 0 : message.hashCode()) + level.text().hashCode();
        long count = next(Math.floorMod(hash ^ (hash >>> 16), COUNTERS), event.getTimeStamp() / 1000);
        boolean shown = count <= FIRST || (count - FIRST) % THEREAFTER == 0;
        return shown ? FilterReply.NEUTRAL : FilterReply.DENY;
    }

    /** Counts one more in the given second; returns how many that makes. */
    private long next(int index, long second) {
        long after = counters.updateAndGet(index, before -> {
            boolean same = before >>> COUNT_BITS == second && (before & COUNT_MASK) < COUNT_MASK;
            return same ? before + 1 : second << COUNT_BITS | 1;
        });
        return after & COUNT_MASK;
    }
}

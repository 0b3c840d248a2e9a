/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.fault;

import dev.nightjar.api.mvccpb.Event;
import dev.nightjar.verify.check.History;
import dev.nightjar.verify.check.Operation;
import dev.nightjar.verify.driver.WireText;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongFunction;

/**
 * What writers know of their writes: acknowledged at a revision, or sent and never answered. A write without an answer may
 * have happened or not, but at most once. Thread safe: one lock, held for one entry or one telling.
 */
final class Ledger {
    private final TreeMap<Long, List<Operation>> acknowledged = new TreeMap<>();
    private final List<List<Operation>> unanswered = new ArrayList<>();
    private final List<String> violations = new ArrayList<>();
    private long acknowledgements;

    synchronized void acknowledged(long revision, List<Operation> operations) {
        acknowledgements++;
        notifyAll();
        List<Operation> other = acknowledged.putIfAbsent(revision, operations);
        if (other != null) {
            violations.add("revision %d acknowledged for %s and for %s".formatted(revision, other, operations));
        }
    }

    synchronized void unanswered(List<Operation> operations) {
        unanswered.add(operations);
    }

    synchronized long acknowledgements() {
        return acknowledgements;
    }

    /** Waits for so many more acknowledgements; fails if they do not come within {@code limit}. */
    synchronized void awaitMore(int count, Duration limit) {
        long wanted = acknowledgements + count;
        long end = System.nanoTime() + limit.toNanos();
        while (acknowledgements < wanted) {
            long left = end - System.nanoTime();
            if (left <= 0) {
                throw new AssertionError("not acknowledged within %s: %d of %d writes"
                        .formatted(limit, count - (wanted - acknowledgements), count));
            }
            try {
                TimeUnit.NANOSECONDS.timedWait(this, left);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new AssertionError("interrupted while waiting for acknowledgements", e);
            }
        }
    }

    /**
     * Goes on with {@code history} to {@code revision}: at each step the write that was acknowledged there, or else an
     * unanswered one that does what was {@code seen} there. Fails if there is none, and if a write was acknowledged beyond
     * {@code revision}, which then is lost.
     */
    synchronized void tell(History history, long revision, LongFunction<List<Event>> seen) {
        for (long next = history.revision() + 1; next <= revision; next++) {
            List<Operation> operations = acknowledged.remove(next);
            if (operations == null) {
                operations = takeUnanswered(history, next, seen.apply(next));
            }
            history.apply(next, operations);
        }
        if (!acknowledged.isEmpty()) {
            violations.add("the store is at revision %d, acknowledged and lost: %s".formatted(revision, acknowledged));
        }
        if (!violations.isEmpty()) {
            throw new AssertionError(String.join("\n", violations));
        }
    }

    private List<Operation> takeUnanswered(History history, long revision, List<Event> seen) {
        for (Iterator<List<Operation>> all = unanswered.iterator(); all.hasNext(); ) {
            List<Operation> operations = all.next();
            if (!seen.isEmpty() && text(history.preview(operations)).equals(text(seen))) {
                all.remove();
                return operations;
            }
        }
        throw new AssertionError("revision " + revision + " was made by nobody: " + text(seen));
    }

    private static List<String> text(List<Event> events) {
        return events.stream()
                .map(event -> event.toBuilder().clearPrevKv().build())
                .map(WireText::of)
                .toList();
    }
}

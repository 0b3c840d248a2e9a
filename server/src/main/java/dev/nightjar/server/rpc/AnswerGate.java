/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.rpc;

import dev.nightjar.core.apply.ApiError;
import dev.nightjar.wire.RawCall;
import java.util.ArrayDeque;
import java.util.Queue;

/**
 * Lets calls with large answers begin while there is room for what those take, and the others wait, first come first
 * served. For all connections; any thread. The monitor guards the queue and the sum, and is held for one step on
 * them.
 *
 * <p>It looks at what answers are expected to take, so that those that sort seldom find the {@link
 * dev.nightjar.core.apply.AnswerBudget} used up: a read is refused then.
 */
final class AnswerGate {
    /** Some kilobytes of heap each; beyond, calls are refused. */
    static final int MAX_WAITING = 10_000;

    private final long limitBytes;
    private final Queue<Waiting> queue = new ArrayDeque<>();
    private long enteredBytes;
    private boolean retrying;

    private record Waiting(RawCall call, long bytes, Runnable go) {}

    AnswerGate(long limitBytes) {
        this.limitBytes = limitBytes;
    }

    /**
     * Has a call go on, now or later, unless it has ended meanwhile; ends it if too many wait. On its loop.
     *
     * @param bytes what the answer takes, until {@link UnaryCall#release}; zero for little
     */
    void whenFree(UnaryCall call, long bytes, Runnable go) {
        if (bytes == 0) {
            go.run();
            return;
        }
        boolean taken = enter(call.raw(), bytes, () -> {
            if (call.hasEnded()) {
                leave(bytes);
            } else {
                call.holds(() -> leave(bytes));
                go.run();
            }
        });
        if (!taken) {
            call.fail(ApiError.TOO_MANY_REQUESTS);
        }
    }

    /**
     * Has a call go on, now or later on its loop. Each that goes on has to {@link #leave}.
     *
     * @return false if too many wait
     */
    boolean enter(RawCall call, long bytes, Runnable go) {
        synchronized (this) {
            if (!queue.isEmpty() || !admits(call, bytes)) {
                if (queue.size() == MAX_WAITING) {
                    return false;
                }
                queue.add(new Waiting(call, bytes, go));
                retryLater();
                return true;
            }
            enteredBytes += bytes;
        }
        go.run();
        return true;
    }

    /** A call that went on has its answer. */
    synchronized void leave(long bytes) {
        enteredBytes -= bytes;
        admitWaiting();
    }

    /** However large an answer is expected to be, it may be the only one. */
    private boolean admits(RawCall call, long bytes) {
        return enteredBytes == 0 || (enteredBytes + bytes <= limitBytes && call.hasMemoryFor(bytes));
    }

    private void admitWaiting() {
        for (Waiting next = queue.peek(); next != null && admits(next.call, next.bytes); next = queue.peek()) {
            queue.remove();
            enteredBytes += next.bytes;
            next.call.loop().execute(next.go);
        }
    }

    /** Nobody tells of direct memory that comes free: the queue looks again as long as there is one. */
    private void retryLater() {
        Waiting first = queue.peek();
        if (first != null && !retrying) {
            retrying = true;
            Retry.later(first.call, this::retry);
        }
    }

    private synchronized void retry() {
        retrying = false;
        admitWaiting();
        retryLater();
    }
}

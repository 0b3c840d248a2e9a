/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.apply;

import dev.nightjar.core.mvcc.MemoryBudget;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The heap that copied key-values take in results until those are sent. Any thread.
 *
 * <p>A small request may ask for the whole store many times over, and many requests for some large values each. What they
 * write is bounded elsewhere; without a limit on what they read, one of them could take the process down, and again at
 * each start, when the log is replayed. So key-values are copied only while the budget has room. The state does not depend
 * on it: what a command reads beyond it is read when its answer is sent, see {@link Result.Deferred}.
 */
public final class AnswerBudget implements MemoryBudget {
    /** A part of the heap that leaves the rest for everything else while all of it is taken. */
    private static final int HEAP_SHARE = 4;

    private final long limitBytes;
    private final AtomicLong heldBytes = new AtomicLong();

    public AnswerBudget(long limitBytes) {
        this.limitBytes = limitBytes;
    }

    /** The budget where the heap can grow so far; below what one message of gRPC carries. */
    public static AnswerBudget ofHeap(long maxHeapBytes) {
        return new AnswerBudget(Math.min(maxHeapBytes / HEAP_SHARE, Integer.MAX_VALUE));
    }

    @Override
    public boolean take(long bytes) {
        if (heldBytes.addAndGet(bytes) > limitBytes) {
            heldBytes.addAndGet(-bytes);
            return false;
        }
        return true;
    }

    /** Gives back what a result held, see {@link Result#heldBytes}: it was sent or dropped. */
    @Override
    public void release(long bytes) {
        heldBytes.addAndGet(-bytes);
    }

    /** What results can hold together. */
    public long limitBytes() {
        return limitBytes;
    }

    /** What results hold now. */
    public long heldBytes() {
        return heldBytes.get();
    }
}

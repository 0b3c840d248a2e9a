/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.consensus.jraft;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** Counts proposals from their entry until they are applied or failed, so that the engine's queues never fill. Any thread. */
final class ProposalWindow {
    private final int maxCount;
    private final long maxBytes;
    private final AtomicInteger count = new AtomicInteger();
    private final AtomicLong bytes = new AtomicLong();

    ProposalWindow(int maxCount, long maxBytes) {
        this.maxCount = maxCount;
        this.maxBytes = maxBytes;
    }

    /** Takes room for a proposal; false if there is none. */
    boolean tryEnter(int size) {
        if (count.incrementAndGet() > maxCount) {
            count.decrementAndGet();
            return false;
        }
        if (bytes.addAndGet(size) > maxBytes) {
            leave(size);
            return false;
        }
        return true;
    }

    /** Gives the room back. */
    void leave(int size) {
        count.decrementAndGet();
        bytes.addAndGet(-size);
    }
}

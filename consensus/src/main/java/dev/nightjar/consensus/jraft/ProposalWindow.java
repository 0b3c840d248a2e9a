/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.consensus.jraft;

import java.time.Duration;

/** Counts proposals from their entry until they are applied or failed, so that the engine's queues never fill. Any thread. */
final class ProposalWindow {
    private final int maxCount;
    private final long maxBytes;

    /** Guarded by this, as is {@link #bytes}; held for a few instructions. */
    private int count;

    private long bytes;

    ProposalWindow(int maxCount, long maxBytes) {
        this.maxCount = maxCount;
        this.maxBytes = maxBytes;
    }

    /** Takes room for a proposal; false if there is none. */
    synchronized boolean tryEnter(int size) {
        if (count == maxCount || bytes + size > maxBytes) {
            return false;
        }
        count++;
        bytes += size;
        return true;
    }

    /** Gives the room back. */
    synchronized void leave(int size) {
        count--;
        bytes -= size;
        if (count == 0) {
            notifyAll();
        }
    }

    /** Waits until no proposal is under way; false if some still are after {@code limit}. */
    synchronized boolean awaitEmpty(Duration limit) throws InterruptedException {
        for (int i = 0; count > 0 && i < 10; i++) {
            wait(limit.toMillis() / 10);
        }
        return count == 0;
    }
}

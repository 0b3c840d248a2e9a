/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.mvcc;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Gets memory for pages, a slab at a time. Used by whoever changes the index; a helper may make slabs ahead while an image
 * is loaded: what takes longest with a page then is that the machine finds memory for it.
 */
final class SlabMaker implements AutoCloseable {

    /** Slabs made ahead of their use: what is left of them when a start ends is used some time later. */
    static final int MOST_AHEAD = 4;

    private final Arena arena = Arena.ofShared();
    private final long slabBytes;
    private final long alignment;
    private final Queue<MemorySegment> ahead = new ConcurrentLinkedQueue<>();
    /** Makes slabs ahead; null if nobody does. */
    private volatile @Nullable Executor helper;

    /** Guarded by this. */
    private boolean closed;

    SlabMaker(long slabBytes, long alignment) {
        this.slabBytes = slabBytes;
        this.alignment = alignment;
    }

    /** A slab of zeros that lasts until this is closed. */
    MemorySegment next() {
        MemorySegment slab = ahead.poll();
        Executor executor = helper;
        if (executor != null) {
            executor.execute(this::makeOne);
        }
        return slab == null ? make() : slab;
    }

    /**
     * Lets another thread make slabs until {@link #stopAhead}.
     *
     * @param executor may do so late or never
     */
    void makeAhead(Executor executor) {
        helper = executor;
        for (int i = 0; i < MOST_AHEAD; i++) {
            executor.execute(this::makeOne);
        }
    }

    void stopAhead() {
        helper = null;
    }

    /** Slabs that wait for their use. */
    int countAhead() {
        return ahead.size();
    }

    /** On the helper, which may come to it when all is over. */
    private synchronized void makeOne() {
        if (helper != null && !closed && ahead.size() < MOST_AHEAD) {
            ahead.add(make());
        }
    }

    private MemorySegment make() {
        return arena.allocate(slabBytes, alignment);
    }

    @Override
    public synchronized void close() {
        closed = true;
        arena.close();
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.node;

import dev.nightjar.consensus.Consensus;
import dev.nightjar.consensus.ConsensusConfig;
import dev.nightjar.core.apply.ApiError;
import dev.nightjar.core.apply.CommandCodec;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

/**
 * Turns single writes into log entries.
 *
 * <p>Writes queue up while an entry is in flight and leave together with the next one: the busier the server, the fuller
 * its entries. One entry is in flight at a time, up to {@value #MAX_DEPTH} when more than a full entry waits.
 *
 * <p>Any thread may submit; whoever finds the batcher idle forms the next entry, so no thread is needed. The queue is
 * bounded: a write that finds it full is refused with {@link ApiError#TOO_MANY_REQUESTS}.
 */
final class ProposalBatcher {
    /** Writes of one entry: beyond that the gain per write is gone. */
    static final int MAX_BATCH_WRITES = 200;

    /** Bytes of one entry, unless a single write is larger: about what one disk write takes without slowing down. */
    static final int MAX_BATCH_BYTES = 64 * 1024;

    /** Bytes of the largest write: far above any sensible request, and what the log takes as one entry. */
    static final int MAX_WRITE_BYTES = ConsensusConfig.Limits.DEFAULT.maxEntryBytes()
            - CommandCodec.ENTRY_HEADER_BYTES
            - CommandCodec.COMMAND_HEADER_BYTES;

    /** Entries in flight under load. */
    static final int MAX_DEPTH = 4;

    /** Writes waiting or in flight, as many as etcd lets its log run ahead of its state. */
    static final int MAX_PENDING = 5000;

    /**
     * Bytes of writes waiting or in flight, beyond which only a write that finds nothing waiting is taken: about eighty of
     * the largest requests by default, and what a log on a slow disk has written within seconds.
     */
    static final long MAX_PENDING_BYTES = 128L << 20;

    private final Consensus consensus;
    private final LongSupplier nanoClock;
    private final Predicate<PendingWrite> noSpaceFor;
    private final Queue<PendingWrite> queue = new ConcurrentLinkedQueue<>();
    private final AtomicInteger pending = new AtomicInteger();
    private final AtomicLong pendingBytes = new AtomicLong();
    private final AtomicInteger queued = new AtomicInteger();
    private final AtomicInteger inFlight = new AtomicInteger();

    /** Held by the one thread that takes from the queue, for the time it takes to form an entry. */
    private final AtomicBoolean taking = new AtomicBoolean();

    private final Set<ProposalBatch> batches = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    /** @param noSpaceFor whether a write has to be refused as the disk is full, also if it was taken before */
    ProposalBatcher(Consensus consensus, LongSupplier nanoClock, Predicate<PendingWrite> noSpaceFor) {
        this.consensus = consensus;
        this.nanoClock = nanoClock;
        this.noSpaceFor = noSpaceFor;
    }

    /**
     * Takes a write; on its loop. Its outcome, also a refusal, comes through {@link PendingWrite#finish}. The entry is
     * formed at the end of the loop's turn, so that all writes read in one turn share it.
     */
    void submit(PendingWrite write) {
        if (closed) {
            write.fail(ApiError.STOPPED);
            return;
        }
        if (write.body().length > MAX_WRITE_BYTES) {
            write.fail(ApiError.REQUEST_TOO_LARGE);
            return;
        }
        int bytes = write.body().length;
        long bytesBefore = pendingBytes.getAndAdd(bytes);
        boolean tooManyBytes = bytesBefore > 0 && bytesBefore + bytes > MAX_PENDING_BYTES;
        if (pending.incrementAndGet() > MAX_PENDING || tooManyBytes) {
            left(1, bytes);
            write.fail(ApiError.TOO_MANY_REQUESTS);
            return;
        }
        write.submitted(nanoClock.getAsLong());
        queue.add(write);
        if (queued.getAndIncrement() == 0) {
            write.loop().execute(this::form);
        }
    }

    private void left(int writes, long bytes) {
        pending.addAndGet(-writes);
        pendingBytes.addAndGet(-bytes);
    }

    /** Writes waiting for their result. */
    int pending() {
        return pending.get();
    }

    /** An entry came back, applied or failed. */
    void ended(ProposalBatch batch) {
        if (batches.remove(batch)) {
            left(batch.writes().size(), batch.bodyBytes());
            inFlight.decrementAndGet();
            form();
        }
    }

    /**
     * Answers the writes that wait for longer than the limit. Those of an entry in flight may still be applied; those in
     * the queue leave it.
     */
    void expire(long limitNanos) {
        long now = nanoClock.getAsLong();
        for (ProposalBatch batch : batches) {
            if (now - batch.proposedNanos() > limitNanos) {
                batch.fail(ApiError.TIMEOUT);
            }
        }
        withQueue(() -> refuseQueued(ApiError.TIMEOUT, write -> now - write.submittedNanos() > limitNanos));
        form();
    }

    /** Refuses further writes and those still queued. */
    void close() {
        closed = true;
        form();
    }

    /** Does what the queue is due: forms entries, or empties it after the end. */
    private void form() {
        while (queued.get() > 0 && (closed || mayPropose())) {
            if (!withQueue(closed ? () -> refuseQueued(ApiError.STOPPED, write -> true) : this::proposeNext)) {
                // Whoever has the queue looks again when it is done.
                return;
            }
        }
    }

    /**
     * Runs a task that takes from the queue, unless another thread is at it: false then. After true the caller has to
     * {@link #form}, for what the others left to it.
     */
    private boolean withQueue(Runnable task) {
        if (!taking.compareAndSet(false, true)) {
            return false;
        }
        try {
            task.run();
        } finally {
            taking.set(false);
        }
        return true;
    }

    private boolean mayPropose() {
        int depth = 1 + Math.min(MAX_DEPTH - 1, queued.get() / MAX_BATCH_WRITES);
        return inFlight.get() < depth;
    }

    /** Takes the oldest writes out of the queue for as long as they meet the condition. */
    private void refuseQueued(ApiError error, Predicate<PendingWrite> condition) {
        for (PendingWrite next = queue.peek(); next != null && condition.test(next); next = queue.peek()) {
            PendingWrite refused = queue.remove();
            queued.decrementAndGet();
            left(1, refused.body().length);
            refused.loop().execute(() -> refused.fail(error));
        }
    }

    private void proposeNext() {
        List<PendingWrite> writes = new ArrayList<>();
        int bytes = CommandCodec.ENTRY_HEADER_BYTES;
        while (writes.size() < MAX_BATCH_WRITES) {
            PendingWrite next = queue.peek();
            if (next == null) {
                break;
            }
            if (noSpaceFor.test(next)) {
                refuseQueued(ApiError.NO_SPACE, noSpaceFor);
                continue;
            }
            int more = CommandCodec.COMMAND_HEADER_BYTES + next.body().length;
            if (!writes.isEmpty() && bytes + more > MAX_BATCH_BYTES) {
                break;
            }
            writes.add(queue.remove());
            bytes += more;
        }
        if (writes.isEmpty()) {
            return;
        }
        queued.addAndGet(-writes.size());
        inFlight.incrementAndGet();
        ProposalBatch batch = new ProposalBatch(this, writes, nanoClock.getAsLong());
        batches.add(batch);
        consensus.propose(batch.encode(), batch);
    }
}

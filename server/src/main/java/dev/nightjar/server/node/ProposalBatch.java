/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.node;

import dev.nightjar.consensus.Proposal;
import dev.nightjar.consensus.ProposalFailure;
import dev.nightjar.core.apply.ApiError;
import dev.nightjar.core.apply.CommandCodec;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.concurrent.Executor;

/**
 * The writes of one log entry. Formed by the batcher, then owned by whoever ends it: the apply thread with results, or
 * the engine with a failure.
 */
final class ProposalBatch implements Proposal {
    private final ProposalBatcher batcher;
    private final List<PendingWrite> writes;
    private final long proposedNanos;

    ProposalBatch(ProposalBatcher batcher, List<PendingWrite> writes, long proposedNanos) {
        this.batcher = batcher;
        this.writes = writes;
        this.proposedNanos = proposedNanos;
    }

    List<PendingWrite> writes() {
        return writes;
    }

    long proposedNanos() {
        return proposedNanos;
    }

    /** Bytes of all writes' requests. */
    int bodyBytes() {
        int bytes = 0;
        for (PendingWrite write : writes) {
            bytes += write.body().length;
        }
        return bytes;
    }

    /** The entry's bytes. */
    ByteBuffer encode() {
        int bytes = CommandCodec.ENTRY_HEADER_BYTES + writes.size() * CommandCodec.COMMAND_HEADER_BYTES + bodyBytes();
        ByteBuffer entry = ByteBuffer.allocate(bytes);
        CommandCodec.putEntryHeader(entry, writes.size());
        for (PendingWrite write : writes) {
            CommandCodec.putCommand(entry, write.type(), write.body());
        }
        return entry.flip();
    }

    /** All writes have their results; on the apply thread. */
    void applied() {
        batcher.ended(this);
    }

    @Override
    public void failed(ProposalFailure failure) {
        ApiError error = switch (failure) {
            case NOT_LEADER -> ApiError.NO_LEADER;
            case OVERLOADED -> ApiError.TOO_MANY_REQUESTS;
            case LEADERSHIP_LOST -> ApiError.TIMEOUT_LEADER_FAILED;
            case STOPPED -> ApiError.STOPPED;
        };
        fail(error);
        batcher.ended(this);
    }

    /** Answers all writes with an error, each on its loop. */
    void fail(ApiError error) {
        byLoop().forEach((loop, own) -> loop.execute(() -> own.forEach(write -> write.fail(error))));
    }

    private IdentityHashMap<Executor, List<PendingWrite>> byLoop() {
        IdentityHashMap<Executor, List<PendingWrite>> groups = new IdentityHashMap<>();
        for (PendingWrite write : writes) {
            groups.computeIfAbsent(write.loop(), loop -> new ArrayList<>()).add(write);
        }
        return groups;
    }
}

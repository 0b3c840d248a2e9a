/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.node;

import dev.nightjar.consensus.Consensus;
import dev.nightjar.consensus.ConsensusStatus;
import dev.nightjar.consensus.MemberId;
import dev.nightjar.consensus.Proposal;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** A log that holds every entry until the test lets it go. */
class HeldConsensus implements Consensus {
    record Held(ByteBuffer entry, ProposalBatch batch) {}

    final List<Held> held = new ArrayList<>();

    @Override
    public void propose(ByteBuffer command, Proposal proposal) {
        held.add(new Held(command, (ProposalBatch) proposal));
    }

    Held takeFirst() {
        return held.removeFirst();
    }

    @Override
    public CompletableFuture<Long> readBarrier() {
        return CompletableFuture.completedFuture(0L);
    }

    @Override
    public ConsensusStatus status() {
        return new ConsensusStatus(1, new MemberId(1), true, false, 0, 0, 0);
    }

    @Override
    public CompletableFuture<Void> transferLeadership(MemberId target) {
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletableFuture<Long> snapshot() {
        return CompletableFuture.completedFuture(0L);
    }

    @Override
    public void close() {}
}

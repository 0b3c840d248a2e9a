/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.consensus;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;

/**
 * The replicated log as the rest of the server sees it. All methods may be called from any thread and none of them
 * blocks, but for {@link #close}.
 */
public interface Consensus extends AutoCloseable {

    /**
     * Proposes one log entry. Exactly one of two things follows: the entry reaches {@link StateMachine#apply} of this
     * member with {@code proposal} attached, or {@link Proposal#failed} is called. After a failure with {@link
     * ProposalFailure#LEADERSHIP_LOST} the entry may still be applied later, without the proposal.
     *
     * @param command the entry's bytes, at least one; must not be changed afterwards
     */
    void propose(ByteBuffer command, Proposal proposal);

    /**
     * Completes with a log index once every entry acknowledged before the call is applied here. Fails with {@link
     * ConsensusException}.
     */
    CompletableFuture<Long> readBarrier();

    /** A snapshot of the member's place in the log; cheap. */
    ConsensusStatus status();

    /** Hands leadership to another voter; completes when this member follows it. */
    CompletableFuture<Void> transferLeadership(MemberId target);

    /**
     * Saves a snapshot of the state machine and completes with its index. The log is cut behind the snapshot before this one,
     * so that a member that is a little behind need not load a snapshot. Does nothing if nothing was applied since the last.
     */
    CompletableFuture<Long> snapshot();

    /** Changes who takes part. An implementation for a fixed set of members may leave this out. */
    default Membership membership() {
        throw new UnsupportedOperationException("the members are fixed");
    }

    /** Stops taking part; waits until no callback runs any more. */
    @Override
    void close();
}

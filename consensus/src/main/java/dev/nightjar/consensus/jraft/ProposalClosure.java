/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.consensus.jraft;

import com.alipay.sofa.jraft.Closure;
import com.alipay.sofa.jraft.Status;
import com.alipay.sofa.jraft.error.RaftError;
import dev.nightjar.consensus.Proposal;
import dev.nightjar.consensus.ProposalFailure;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Travels with a proposal through the engine and ends in exactly one of two ways: {@link #deliver} on the apply thread, or
 * {@link #run} with the reason why not, on any thread.
 */
final class ProposalClosure implements Closure {
    private final Proposal proposal;
    private final int size;
    private final ProposalWindow window;
    private final AtomicBoolean ended = new AtomicBoolean();

    ProposalClosure(Proposal proposal, int size, ProposalWindow window) {
        this.proposal = proposal;
        this.size = size;
        this.window = window;
    }

    /** The entry is being applied; the proposal goes with it. */
    Proposal deliver() {
        if (ended.compareAndSet(false, true)) {
            window.leave(size);
        }
        return proposal;
    }

    @Override
    public void run(Status status) {
        fail(failureOf(status));
    }

    /** Ends the proposal, unless it has ended. */
    void fail(ProposalFailure failure) {
        if (ended.compareAndSet(false, true)) {
            window.leave(size);
            proposal.failed(failure);
        }
    }

    /**
     * What a status of the engine means for the entry. "Not leader" and "busy" come before anything is written; the engine
     * uses the same code when it clears its queue at the loss of leadership, and there the fate is open. Whatever is not
     * known for sure counts as open.
     */
    static ProposalFailure failureOf(Status status) {
        String message = String.valueOf(status.getErrorMsg());
        return switch (RaftError.forNumber(status.getCode())) {
            case EBUSY ->
                message.startsWith("Is transferring leadership")
                        ? ProposalFailure.NOT_LEADER
                        : ProposalFailure.OVERLOADED;
            case EPERM ->
                message.startsWith("Is not leader") || message.startsWith("expected_term=")
                        ? ProposalFailure.NOT_LEADER
                        : ProposalFailure.LEADERSHIP_LOST;
            case ENODESHUTDOWN, EHOSTDOWN, ESTATEMACHINE, EIO, ESTOP -> ProposalFailure.STOPPED;
            default -> ProposalFailure.LEADERSHIP_LOST;
        };
    }
}

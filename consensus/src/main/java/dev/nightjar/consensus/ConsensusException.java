/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.consensus;

/** A request to the engine failed. */
public final class ConsensusException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** The kind of failure. */
    private final ProposalFailure failure;

    public ConsensusException(ProposalFailure failure, String message) {
        super(message);
        this.failure = failure;
    }

    /** The kind of failure. */
    public ProposalFailure failure() {
        return failure;
    }
}

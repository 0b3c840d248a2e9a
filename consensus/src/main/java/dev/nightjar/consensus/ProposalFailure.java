/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.consensus;

/** Why a proposal did not come back through {@link StateMachine#apply}. */
public enum ProposalFailure {
    /** This member does not lead; nothing was written. */
    NOT_LEADER,
    /** The engine's queue is full; nothing was written. */
    OVERLOADED,
    /** Leadership went while the entry was under way; it may or may not be applied later. */
    LEADERSHIP_LOST,
    /** The engine has stopped or failed. */
    STOPPED
}

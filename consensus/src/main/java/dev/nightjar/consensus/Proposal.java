/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.consensus;

/** What a proposer attaches to an entry and gets back when the entry is applied. */
public interface Proposal {

    /** The entry was not accepted, or its fate is unknown. Called at most once, on a thread of the engine. */
    void failed(ProposalFailure failure);
}

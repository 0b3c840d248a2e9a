/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.consensus;

import dev.nightjar.consensus.jraft.JraftConsensus;
import java.io.IOException;

/** Starts a member of a replicated log. */
public final class ConsensusEngine {
    private ConsensusEngine() {}

    /**
     * Opens the member's files, loads the newest snapshot and starts to take part. Entries behind the snapshot that are known
     * to be committed are applied on the apply thread, not before this returns.
     *
     * @param transport reaches the other members; the engine starts and closes it
     * @throws LogCorruptException if a file is damaged in a way that no crash explains
     * @throws IOException if the member cannot start; nothing runs then
     */
    public static Consensus start(ConsensusConfig config, StateMachine stateMachine, Transport transport)
            throws IOException {
        return JraftConsensus.start(config, stateMachine, transport);
    }
}

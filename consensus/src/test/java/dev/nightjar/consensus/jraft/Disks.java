/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.consensus.jraft;

import dev.nightjar.consensus.Consensus;
import dev.nightjar.consensus.ConsensusConfig;
import dev.nightjar.consensus.StateMachine;
import dev.nightjar.consensus.Transport;
import dev.nightjar.consensus.log.HostileFiles;
import java.io.IOException;
import java.util.Random;

/** The hostile disks of one member, one for its log and one for its vote. */
public final class Disks {
    private HostileFiles log = new HostileFiles();
    private HostileFiles vote = new HostileFiles();

    /** Starts a member on what the disks hold. */
    public Consensus start(ConsensusConfig config, StateMachine stateMachine, Transport transport) throws IOException {
        return JraftConsensus.start(config, stateMachine, transport, log, vote);
    }

    /** The power goes: from now on every step of the running member fails. */
    public void cutPower() {
        log.failNext(HostileFiles.Fault.CRASH);
        vote.failNext(HostileFiles.Fault.CRASH);
    }

    /** The power comes back after {@link #cutPower}, once the member is gone. */
    public void restorePower(Random random) {
        log = log.afterPowerCut(random);
        vote = vote.afterPowerCut(random);
    }
}

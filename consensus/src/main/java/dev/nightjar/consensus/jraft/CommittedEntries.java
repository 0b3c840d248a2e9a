/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.consensus.jraft;

import com.alipay.sofa.jraft.Iterator;
import dev.nightjar.consensus.Proposal;
import dev.nightjar.consensus.StateMachine;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** One batch of committed entries as the state machine sees it. Apply thread. */
final class CommittedEntries implements StateMachine.Entries {
    private final Iterator iterator;
    private final StateMachineDriver driver;
    private boolean started;
    private boolean exhausted;
    private @Nullable Proposal proposal;

    CommittedEntries(Iterator iterator, StateMachineDriver driver) {
        this.iterator = iterator;
        this.driver = driver;
    }

    @Override
    public boolean next() {
        if (exhausted) {
            return false;
        }
        if (started) {
            step();
        }
        started = true;
        while (iterator.hasNext() && !iterator.getData().hasRemaining()) {
            step(); // one of our own empty entries, see MembershipChanges
        }
        if (!iterator.hasNext()) {
            exhausted = true;
            proposal = null;
            return false;
        }
        driver.handingOver(iterator.getIndex());
        proposal = iterator.done() instanceof ProposalClosure closure ? closure.deliver() : null;
        return true;
    }

    private void step() {
        driver.applied(iterator.getIndex());
        iterator.next();
    }

    /** Whether the state machine has taken all entries. */
    boolean exhausted() {
        return exhausted;
    }

    @Override
    public long index() {
        return iterator.getIndex();
    }

    @Override
    public long term() {
        return iterator.getTerm();
    }

    @Override
    public ByteBuffer command() {
        // The entry may be on its way to a follower at the same time: its own position must not move.
        return iterator.getData().duplicate();
    }

    @Override
    public @Nullable Proposal proposal() {
        return proposal;
    }
}

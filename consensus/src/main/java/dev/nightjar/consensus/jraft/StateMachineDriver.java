/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.consensus.jraft;

import com.alipay.sofa.jraft.Closure;
import com.alipay.sofa.jraft.Iterator;
import com.alipay.sofa.jraft.StateMachine;
import com.alipay.sofa.jraft.Status;
import com.alipay.sofa.jraft.conf.Configuration;
import com.alipay.sofa.jraft.entity.LeaderChangeContext;
import com.alipay.sofa.jraft.error.RaftException;
import com.alipay.sofa.jraft.storage.snapshot.SnapshotReader;
import com.alipay.sofa.jraft.storage.snapshot.SnapshotWriter;
import dev.nightjar.consensus.MemberId;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Translates the engine's callbacks for our state machine. Everything runs on the engine's apply thread, except that {@link
 * #failing} and the getters may be called by any thread.
 */
final class StateMachineDriver implements StateMachine {
    private static final Logger LOG = LoggerFactory.getLogger(StateMachineDriver.class);

    private final dev.nightjar.consensus.StateMachine stateMachine;
    private final Snapshots snapshots;
    private final MemberId self;
    private final Supplier<dev.nightjar.consensus.ConsensusStatus> status;
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private Consumer<Role> roleListener = role -> {};
    private Runnable membersListener = () -> {};
    private Consumer<Throwable> stopper = cause -> {};
    private volatile Role role = new Role(0, null, false);
    private volatile long appliedIndex;
    private volatile long committedIndex;
    private volatile long snapshotIndex;

    StateMachineDriver(
            dev.nightjar.consensus.StateMachine stateMachine,
            MemberId self,
            Supplier<dev.nightjar.consensus.ConsensusStatus> status) {
        this.stateMachine = stateMachine;
        this.snapshots = new Snapshots(stateMachine);
        this.self = self;
        this.status = status;
    }

    /**
     * Sets, before the engine starts, who is told about changes of role (before the state machine) and of members, and how to
     * stop the engine.
     */
    void connect(Consumer<Role> newRoleListener, Runnable newMembersListener, Consumer<Throwable> newStopper) {
        roleListener = newRoleListener;
        membersListener = newMembersListener;
        stopper = newStopper;
    }

    /** Sets, before the engine starts, the term that this member had reached in its last run. */
    void resumeAt(long term) {
        role = new Role(term, null, false);
    }

    Role role() {
        return role;
    }

    /** The index of the last entry that the state machine has applied. */
    long appliedIndex() {
        return appliedIndex;
    }

    /** The index of the last entry that was handed to the state machine. */
    long committedIndex() {
        return committedIndex;
    }

    /** The last index of the newest snapshot, or 0. */
    long snapshotIndex() {
        return snapshotIndex;
    }

    /** Why the engine failed, or null. */
    @Nullable
    Throwable failure() {
        return failure.get();
    }

    /** Notes why the engine is about to fail; the first reason counts. */
    void failing(Throwable cause) {
        failure.compareAndSet(null, cause);
    }

    @Override
    public void onApply(Iterator iterator) {
        CommittedEntries entries = new CommittedEntries(iterator, this);
        try {
            stateMachine.apply(entries);
            if (!entries.exhausted()) {
                throw new IllegalStateException("the state machine left entries behind");
            }
        } catch (RuntimeException | Error e) {
            LOG.error("applying entry {} failed", iterator.getIndex(), e);
            failing(e);
            throw e;
        }
    }

    /** The state machine is about to see an entry. */
    void handingOver(long index) {
        committedIndex = index;
    }

    /** The state machine is done with an entry. */
    void applied(long index) {
        appliedIndex = index;
    }

    @Override
    public void onSnapshotSave(SnapshotWriter writer, Closure done) {
        long index = writer.getCurrentMeta().getLastIncludedIndex();
        snapshots.save(writer, status -> {
            if (status.isOk()) {
                snapshotIndex = index;
            }
            done.run(status);
        });
    }

    @Override
    public boolean onSnapshotLoad(SnapshotReader reader) {
        long index = reader.load().getLastIncludedIndex();
        try {
            snapshots.load(reader, index);
            appliedIndex = Math.max(appliedIndex, index);
            committedIndex = Math.max(committedIndex, index);
            snapshotIndex = index;
            membersListener.run();
            return true;
        } catch (IOException | RuntimeException | Error e) {
            LOG.error("could not load the snapshot of entry {}", index, e);
            failing(e);
            return false;
        }
    }

    @Override
    public void onLeaderStart(long term) {
        become(new Role(term, self, true));
    }

    @Override
    public void onLeaderStop(Status reason) {
        become(new Role(role.term(), null, false));
    }

    @Override
    public void onStartFollowing(LeaderChangeContext context) {
        become(new Role(context.getTerm(), PeerIds.memberOrNull(context.getLeaderId()), false));
    }

    @Override
    public void onStopFollowing(LeaderChangeContext context) {
        become(new Role(context.getTerm(), null, false));
    }

    private void become(Role next) {
        role = next;
        roleListener.accept(next);
        try {
            stateMachine.leaderChanged(status.get());
        } catch (RuntimeException | Error e) {
            LOG.error("the state machine failed at a change of leader", e);
            failing(e);
            stopper.accept(e);
        }
    }

    @Override
    public void onError(RaftException error) {
        failing(error);
        Throwable cause = failure.get();
        role = new Role(role.term(), null, false);
        roleListener.accept(role);
        try {
            stateMachine.failed(cause == null ? error : cause);
        } catch (RuntimeException | Error e) {
            LOG.error("the state machine failed at the news of a failure", e);
        }
    }

    @Override
    public void onConfigurationCommitted(Configuration configuration) {
        membersListener.run();
    }

    @Override
    public void onShutdown() {
        // Whoever closes the engine waits for its threads.
    }
}

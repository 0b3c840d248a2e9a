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
import com.alipay.sofa.jraft.error.RaftError;
import com.alipay.sofa.jraft.error.RaftException;
import com.alipay.sofa.jraft.storage.snapshot.SnapshotReader;
import com.alipay.sofa.jraft.storage.snapshot.SnapshotWriter;
import dev.nightjar.consensus.MemberId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
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
    private final MemberId self;
    private final Supplier<dev.nightjar.consensus.ConsensusStatus> status;
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private final CountDownLatch shutDown = new CountDownLatch(1);
    private Consumer<Role> roleListener = role -> {};
    private Consumer<Throwable> stopper = cause -> {};
    private volatile Role role = new Role(0, null, false);
    private volatile long appliedIndex;

    StateMachineDriver(
            dev.nightjar.consensus.StateMachine stateMachine,
            MemberId self,
            Supplier<dev.nightjar.consensus.ConsensusStatus> status) {
        this.stateMachine = stateMachine;
        this.self = self;
        this.status = status;
    }

    /** Who is told about role changes before the state machine, and how to stop the engine; set before the engine starts. */
    void connect(Consumer<Role> newRoleListener, Consumer<Throwable> newStopper) {
        roleListener = newRoleListener;
        stopper = newStopper;
    }

    Role role() {
        return role;
    }

    /** The index of the last entry that the state machine has applied. */
    long appliedIndex() {
        return appliedIndex;
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

    /** Waits until the engine makes no more calls. */
    void awaitShutdown() throws InterruptedException {
        shutDown.await();
    }

    @Override
    public void onApply(Iterator iterator) {
        CommittedEntries entries = new CommittedEntries(iterator, index -> appliedIndex = index);
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

    @Override
    public void onSnapshotSave(SnapshotWriter writer, Closure done) {
        try {
            Path directory = Path.of(writer.getPath());
            var _ = stateMachine.saveSnapshot(directory).whenComplete((_, error) -> {
                if (error != null) {
                    LOG.warn("could not save a snapshot", error);
                    done.run(
                            new Status(RaftError.ECANCELED, "snapshot failed: %s", String.valueOf(error.getMessage())));
                } else {
                    done.run(addFiles(directory, writer));
                }
            });
        } catch (IOException | RuntimeException e) {
            LOG.warn("could not save a snapshot", e);
            done.run(new Status(RaftError.ECANCELED, "snapshot failed: %s", String.valueOf(e.getMessage())));
        }
    }

    private static Status addFiles(Path directory, SnapshotWriter writer) {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                String name = directory.relativize(file).toString();
                if (!writer.addFile(name)) {
                    return new Status(RaftError.ECANCELED, "cannot add %s to the snapshot", name);
                }
            }
            return Status.OK();
        } catch (IOException e) {
            LOG.warn("could not list the files of a snapshot", e);
            return new Status(RaftError.ECANCELED, "cannot list the files of the snapshot");
        }
    }

    @Override
    public boolean onSnapshotLoad(SnapshotReader reader) {
        long index = reader.load().getLastIncludedIndex();
        try {
            stateMachine.loadSnapshot(Path.of(reader.getPath()), index);
            appliedIndex = Math.max(appliedIndex, index);
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
        stateMachine.failed(cause == null ? error : cause);
    }

    @Override
    public void onConfigurationCommitted(Configuration configuration) {
        LOG.info("members: {}", configuration);
    }

    @Override
    public void onShutdown() {
        shutDown.countDown();
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.consensus.jraft;

import com.alipay.sofa.jraft.Closure;
import com.alipay.sofa.jraft.Status;
import com.alipay.sofa.jraft.conf.Configuration;
import com.alipay.sofa.jraft.core.NodeImpl;
import com.alipay.sofa.jraft.entity.LogEntry;
import com.alipay.sofa.jraft.entity.PeerId;
import com.alipay.sofa.jraft.entity.Task;
import com.alipay.sofa.jraft.error.RaftError;
import dev.nightjar.consensus.MemberId;
import dev.nightjar.consensus.Members;
import dev.nightjar.consensus.Membership;
import dev.nightjar.consensus.MembershipException;
import dev.nightjar.consensus.MembershipFailure;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Changes the engine's configuration. Any thread.
 *
 * <p>A learner is promoted by taking it out and adding it as a voter: the engine would otherwise go on replicating to it as
 * to a learner and never count its answers.
 */
final class MembershipChanges implements Membership {
    private static final Logger LOG = LoggerFactory.getLogger(MembershipChanges.class);

    private static final long NUDGE_MILLIS = 50;

    private final NodeImpl node;
    private final MembersView members;
    private final Executor executor;
    private final BooleanSupplier stopped;

    MembershipChanges(NodeImpl node, MembersView members, Executor executor, BooleanSupplier stopped) {
        this.node = node;
        this.members = members;
        this.executor = executor;
        this.stopped = stopped;
    }

    @Override
    public Members members() {
        return members.members();
    }

    @Override
    public CompletableFuture<Void> addVoter(MemberId member) {
        PeerId peer = PeerIds.peerOf(member);
        CompletableFuture<Void> added = change((configuration, done) -> {
            if (configuration.contains(peer)) {
                done.run(Status.OK());
            } else {
                node.addPeer(peer, done);
            }
        });
        nudge(added);
        return added;
    }

    /**
     * Appends empty entries until a change is done. The engine looks whether a new voter has caught up only when the voter
     * answers an append, and may begin to look after the last answer: with nobody writing it would wait for ever.
     */
    private void nudge(CompletableFuture<Void> change) {
        CompletableFuture.delayedExecutor(NUDGE_MILLIS, TimeUnit.MILLISECONDS, executor)
                .execute(() -> {
                    if (change.isDone() || stopped.getAsBoolean()) {
                        return;
                    }
                    try {
                        node.apply(new Task(LogEntry.EMPTY_DATA, null));
                    } catch (RuntimeException e) {
                        LOG.debug("the engine is busy enough without a nudge", e);
                    }
                    nudge(change);
                });
    }

    @Override
    public CompletableFuture<Void> addLearner(MemberId member) {
        PeerId peer = PeerIds.peerOf(member);
        return change((configuration, done) -> {
            if (configuration.contains(peer) || configuration.getLearners().contains(peer)) {
                done.run(Status.OK());
            } else {
                node.addLearners(List.of(peer), done);
            }
        });
    }

    @Override
    public CompletableFuture<Void> promote(MemberId learner) {
        PeerId peer = PeerIds.peerOf(learner);
        return change((configuration, done) -> {
                    if (!configuration.getLearners().contains(peer)) {
                        done.run(Status.OK());
                    } else if (!node.listAliveLearners().contains(peer)) {
                        done.run(new Status(RaftError.ECATCHUP, "learner %s is silent", learner.toString()));
                    } else {
                        node.removeLearners(List.of(peer), done);
                    }
                })
                .thenCompose(_ -> addVoter(learner).exceptionallyCompose(failure -> restore(learner, failure)));
    }

    /** Takes a learner back in that did not become a voter after all. */
    private CompletableFuture<Void> restore(MemberId learner, Throwable failure) {
        return addLearner(learner).handle((_, _) -> null).thenCompose(_ -> CompletableFuture.failedFuture(failure));
    }

    @Override
    public CompletableFuture<Void> remove(MemberId member) {
        PeerId peer = PeerIds.peerOf(member);
        return change((configuration, done) -> {
            if (configuration.contains(peer)) {
                node.removePeer(peer, done);
            } else if (configuration.getLearners().contains(peer)) {
                node.removeLearners(List.of(peer), done);
            } else {
                done.run(Status.OK());
            }
        });
    }

    private CompletableFuture<Void> change(Step step) {
        if (stopped.getAsBoolean()) {
            return CompletableFuture.failedFuture(failure(MembershipFailure.STOPPED, "this member has stopped"));
        }
        CompletableFuture<Void> result = new CompletableFuture<>();
        members.changeBegins();
        executor.execute(() -> take(step, result));
        return result;
    }

    private void take(Step step, CompletableFuture<Void> result) {
        Closure done = status -> {
            members.changeEnded();
            if (status.isOk()) {
                result.complete(null);
            } else {
                result.completeExceptionally(failure(failureOf(status), String.valueOf(status.getErrorMsg())));
            }
        };
        try {
            if (node.isLeader()) {
                step.take(node.getCurrentConf(), done);
            } else {
                done.run(new Status(RaftError.EPERM, "Not leader"));
            }
        } catch (IllegalArgumentException | IllegalStateException e) {
            // The configuration has changed since it was looked at.
            done.run(new Status(RaftError.EBUSY, "%s", String.valueOf(e.getMessage())));
        }
    }

    private static MembershipException failure(MembershipFailure failure, String message) {
        return new MembershipException(failure, "members not changed: " + message);
    }

    private static MembershipFailure failureOf(Status status) {
        return switch (status.getRaftError()) {
            case EBUSY, EINVAL -> MembershipFailure.BUSY;
            case ECATCHUP, ETIMEDOUT -> MembershipFailure.NOT_CAUGHT_UP;
            case EPERM ->
                "Not leader".equals(status.getErrorMsg())
                        ? MembershipFailure.NOT_LEADER
                        : MembershipFailure.LEADERSHIP_LOST;
            case ENODESHUTDOWN, EHOSTDOWN, ESTOP, ESHUTDOWN -> MembershipFailure.STOPPED;
            default -> MembershipFailure.LEADERSHIP_LOST;
        };
    }

    /** One change; must run {@code done} once or throw. */
    @FunctionalInterface
    private interface Step {
        void take(Configuration configuration, Closure done);
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.consensus.jraft;

import com.alipay.sofa.jraft.Status;
import com.alipay.sofa.jraft.core.NodeImpl;
import dev.nightjar.consensus.ConsensusException;
import dev.nightjar.consensus.MemberId;
import dev.nightjar.consensus.ProposalFailure;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Hands leadership over, one transfer at a time. Any thread; {@link #roleChanged} comes on the apply thread. */
final class LeadershipTransfer {
    private final NodeImpl node;
    private final Executor executor;
    private final Duration limit;
    private final AtomicReference<@Nullable Attempt> current = new AtomicReference<>();

    LeadershipTransfer(NodeImpl node, Executor executor, Duration limit) {
        this.node = node;
        this.executor = executor;
        this.limit = limit;
    }

    /** A transfer under way. */
    private record Attempt(MemberId target, CompletableFuture<Void> done) {}

    /** Completes when this member follows {@code target}; fails if it leads on, or if nobody is heard of in time. */
    CompletableFuture<Void> to(MemberId target) {
        Attempt attempt = new Attempt(target, new CompletableFuture<>());
        if (!current.compareAndSet(null, attempt)) {
            return CompletableFuture.failedFuture(
                    new ConsensusException(ProposalFailure.OVERLOADED, "another transfer is under way"));
        }
        var _ = attempt.done.whenComplete((_, _) -> current.compareAndSet(attempt, null));
        executor.execute(() -> begin(attempt));
        return attempt.done
                .orTimeout(limit.toMillis(), TimeUnit.MILLISECONDS)
                .exceptionallyCompose(failure -> CompletableFuture.failedFuture(
                        failure instanceof ConsensusException
                                ? failure
                                : new ConsensusException(ProposalFailure.LEADERSHIP_LOST, "no leader in time")));
    }

    private void begin(Attempt attempt) {
        if (PeerIds.peerOf(attempt.target).equals(node.getServerId()) && node.isLeader()) {
            attempt.done.complete(null);
            return;
        }
        Status status = node.transferLeadershipTo(PeerIds.peerOf(attempt.target));
        if (!status.isOk()) {
            attempt.done.completeExceptionally(
                    new ConsensusException(ProposalFailure.NOT_LEADER, String.valueOf(status.getErrorMsg())));
        }
    }

    /** Somebody leads, or nobody. */
    void roleChanged(Role role) {
        Attempt attempt = current.get();
        if (attempt == null) {
            return;
        }
        if (attempt.target.equals(role.leader())) {
            attempt.done.complete(null);
        } else if (role.leader() != null) {
            attempt.done.completeExceptionally(
                    new ConsensusException(ProposalFailure.LEADERSHIP_LOST, "member " + role.leader() + " leads"));
        }
    }
}

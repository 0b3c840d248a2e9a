/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.consensus.jraft;

import com.alipay.sofa.jraft.Status;
import com.alipay.sofa.jraft.closure.ReadIndexClosure;
import com.alipay.sofa.jraft.core.NodeImpl;
import com.alipay.sofa.jraft.error.RaftError;
import com.alipay.sofa.jraft.option.ReadOnlyOption;
import dev.nightjar.consensus.ConsensusException;
import dev.nightjar.consensus.ProposalFailure;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Read barriers. Any thread.
 *
 * <p>The only voter needs no round of heartbeats: nobody else can have acknowledged anything, and it acknowledges an entry
 * after it has applied it, so what it has applied covers every acknowledged entry.
 *
 * <p>Otherwise one round is under way at a time, and all readers that come meanwhile share the next one. A reader must not
 * join the round under way: that one may have fixed its index before the reader came.
 */
final class ReadBarriers {
    private static final byte[] NO_CONTEXT = {};

    /** No timer of the engine's own: a round has one deadline, here. */
    private static final long NO_TIMEOUT = -1;

    /** A new leader has to commit an entry first; that takes about a round trip and a sync. */
    private static final long RETRY_MILLIS = 10;

    private final NodeImpl node;
    private final StateMachineDriver driver;
    private final MembersView members;
    private final Executor executor;
    private final Duration limit;

    /** Guarded by this, as is {@link #waiting}. */
    private @Nullable CompletableFuture<Long> running;

    private @Nullable CompletableFuture<Long> waiting;

    ReadBarriers(NodeImpl node, StateMachineDriver driver, MembersView members, Executor executor, Duration limit) {
        this.node = node;
        this.driver = driver;
        this.members = members;
        this.executor = executor;
        this.limit = limit;
    }

    /** A barrier for a reader that comes now. */
    CompletableFuture<Long> next() {
        if (members.isSoleVoter() && driver.role().leading()) {
            return CompletableFuture.completedFuture(driver.appliedIndex());
        }
        CompletableFuture<Long> started;
        synchronized (this) {
            if (running != null) {
                if (waiting == null) {
                    waiting = new CompletableFuture<>();
                }
                return waiting.copy();
            }
            started = new CompletableFuture<>();
            running = started;
        }
        begin(started);
        return started.copy();
    }

    private void begin(CompletableFuture<Long> round) {
        var _ = round.orTimeout(limit.toMillis(), TimeUnit.MILLISECONDS).whenComplete((_, _) -> ended());
        attempt(round);
    }

    private void ended() {
        CompletableFuture<Long> next;
        synchronized (this) {
            next = waiting;
            waiting = null;
            running = next;
        }
        if (next != null) {
            begin(next);
        }
    }

    private void attempt(CompletableFuture<Long> round) {
        try {
            node.readIndex(ReadOnlyOption.ReadOnlySafe, NO_CONTEXT, new ReadIndexClosure(NO_TIMEOUT) {
                @Override
                public void run(Status status, long index, byte[] context) {
                    answered(round, status, index);
                }
            });
        } catch (RuntimeException e) {
            round.completeExceptionally(
                    new ConsensusException(ProposalFailure.STOPPED, String.valueOf(e.getMessage())));
        }
    }

    private void answered(CompletableFuture<Long> round, Status status, long index) {
        if (status.isOk()) {
            round.complete(Math.max(index, driver.appliedIndex()));
        } else if (status.getRaftError() == RaftError.EAGAIN) {
            CompletableFuture.delayedExecutor(RETRY_MILLIS, TimeUnit.MILLISECONDS, executor)
                    .execute(() -> {
                        if (!round.isDone()) {
                            attempt(round);
                        }
                    });
        } else {
            round.completeExceptionally(
                    new ConsensusException(failureOf(status), "no read barrier: " + status.getErrorMsg()));
        }
    }

    private static ProposalFailure failureOf(Status status) {
        return switch (status.getRaftError()) {
            case EBUSY -> ProposalFailure.OVERLOADED;
            case EHOSTDOWN, ENODESHUTDOWN, ESTOP -> ProposalFailure.STOPPED;
            default -> ProposalFailure.NOT_LEADER;
        };
    }
}

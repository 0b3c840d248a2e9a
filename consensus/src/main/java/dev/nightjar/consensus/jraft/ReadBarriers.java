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
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Shares read barriers: one is under way, and all readers that come meanwhile share the next one. A reader must not join the
 * one under way: it may have fixed its index before the reader's own past.
 */
final class ReadBarriers {
    private static final byte[] NO_CONTEXT = {};

    private final NodeImpl node;
    private final StateMachineDriver driver;
    private @Nullable CompletableFuture<Long> running;
    private @Nullable CompletableFuture<Long> waiting;

    ReadBarriers(NodeImpl node, StateMachineDriver driver) {
        this.node = node;
        this.driver = driver;
    }

    CompletableFuture<Long> next() {
        CompletableFuture<Long> started;
        synchronized (this) {
            if (running != null) {
                if (waiting == null) {
                    waiting = new CompletableFuture<>();
                }
                return waiting;
            }
            started = new CompletableFuture<>();
            running = started;
        }
        start(started);
        return started;
    }

    private void start(CompletableFuture<Long> barrier) {
        node.readIndex(ReadOnlyOption.ReadOnlySafe, NO_CONTEXT, new ReadIndexClosure() {
            @Override
            public void run(Status status, long index, byte[] context) {
                finished(barrier, status, index);
            }
        });
    }

    private void finished(CompletableFuture<Long> barrier, Status status, long index) {
        CompletableFuture<Long> next;
        synchronized (this) {
            next = waiting;
            waiting = null;
            running = next;
        }
        if (next != null) {
            start(next);
        }
        if (status.isOk()) {
            barrier.complete(Math.max(index, driver.appliedIndex()));
        } else {
            barrier.completeExceptionally(new ConsensusException(
                    status.getRaftError() == RaftError.EBUSY ? ProposalFailure.OVERLOADED : ProposalFailure.NOT_LEADER,
                    String.valueOf(status.getErrorMsg())));
        }
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.node;

import dev.nightjar.consensus.Consensus;
import dev.nightjar.consensus.ConsensusException;
import dev.nightjar.core.apply.ApiError;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What a linearizable read waits for. Called on the loops, each with its own reads.
 *
 * @param timeout how long one read waits
 */
record ReadBarrier(Consensus consensus, Duration timeout) {

    /** Calls back, on the loop, as {@link Node#afterReadBarrier} promises. */
    @SuppressWarnings("FutureReturnValueIgnored") // the callback is the whole reaction
    void await(Executor loop, Consumer<@Nullable ApiError> then) {
        CompletableFuture<Long> barrier = consensus.readBarrier();
        if (barrier.isDone() && !barrier.isCompletedExceptionally()) {
            then.accept(null);
            return;
        }
        // A copy, as other readers wait for the same barrier with their own patience.
        barrier.copy()
                .orTimeout(timeout.toMillis(), TimeUnit.MILLISECONDS)
                .whenComplete((index, failure) -> loop.execute(() -> then.accept(error(failure))));
    }

    private static @Nullable ApiError error(@Nullable Throwable failure) {
        if (failure == null) {
            return null;
        }
        // A dependent stage wraps what the barrier failed with.
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        if (cause instanceof ConsensusException e) {
            return switch (e.failure()) {
                case NOT_LEADER -> ApiError.NO_LEADER;
                case LEADERSHIP_LOST -> ApiError.LEADER_CHANGED;
                case OVERLOADED -> ApiError.TIMEOUT;
                case STOPPED -> ApiError.STOPPED;
            };
        }
        return ApiError.TIMEOUT;
    }
}

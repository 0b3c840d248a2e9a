/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.consensus;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * Carries the engine's messages between members. The bytes are opaque and carry their own checksum; who may talk to whom,
 * encryption and addresses are the transport's affair. All methods may be called from any thread and none may block, but
 * for {@link #close}.
 */
public interface Transport extends AutoCloseable {

    /** The largest request or response, in bytes. A transport refuses what is larger before it reads it whole. */
    int MAX_MESSAGE_BYTES = 160 << 20;

    /** A transport for a member that has no peers: everything sent fails. */
    static Transport none() {
        return new Transport() {
            @Override
            public void start(Receiver receiver) {}

            @Override
            public CompletableFuture<ByteBuffer> send(
                    MemberId target, Lane lane, ByteBuffer request, Duration timeout) {
                return CompletableFuture.failedFuture(
                        new ConsensusException(ProposalFailure.STOPPED, "no network: cannot reach " + target));
            }

            @Override
            public void close() {}
        };
    }

    /** Starts to hand requests of other members to {@code receiver}. Called once, before the first {@link #send}. */
    void start(Receiver receiver);

    /**
     * Sends a request. The future completes with the response, or exceptionally if the member cannot be reached, does not
     * know what to do with the request, or does not answer in time. A request whose future failed may still arrive.
     */
    CompletableFuture<ByteBuffer> send(MemberId target, Lane lane, ByteBuffer request, Duration timeout);

    /** Stops delivery; when this returns {@link Receiver#receive} runs no more. */
    @Override
    void close();

    /** Streams of requests that must not hold one another up. */
    enum Lane {
        /** Entries and heartbeats. Requests to one member must arrive in the order in which they were sent, or not at all. */
        LOG,
        /** Votes and read barriers: small and urgent, in any order. */
        CONTROL,
        /** Snapshots: chunks of files, in any order. */
        FILES
    }

    /** Takes requests from other members. */
    @FunctionalInterface
    interface Receiver {
        /**
         * Takes a request; does not block. Requests of one member on {@link Lane#LOG} must be handed over in order.
         *
         * @param from the member that sent it, as the transport has verified it
         * @return completes with the response, or exceptionally if there is none
         */
        CompletableFuture<ByteBuffer> receive(MemberId from, Lane lane, ByteBuffer request);
    }
}

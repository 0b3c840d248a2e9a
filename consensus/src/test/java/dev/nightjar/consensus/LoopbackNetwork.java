/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.consensus;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A network inside one process, with a firewall. Each direction between two members can be cut or slowed down; what is sent
 * over a cut direction vanishes without a trace, requests and responses alike.
 */
final class LoopbackNetwork implements AutoCloseable {
    private final Map<MemberId, Port> ports = new ConcurrentHashMap<>();
    private final Set<Link> cut = new HashSet<>();
    private final Map<Link, Duration> delays = new ConcurrentHashMap<>();
    private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("loopback-delay").factory());
    private final AtomicLong fileRequests = new AtomicLong();

    /** One direction. */
    private record Link(MemberId from, MemberId to) {}

    /** The transport of a member that is about to start. */
    Transport transport(MemberId self) {
        return new Port(self);
    }

    /** Cuts one direction. */
    synchronized void cut(MemberId from, MemberId to) {
        cut.add(new Link(from, to));
    }

    /** Cuts all that a member sends and receives. */
    synchronized void isolate(MemberId member) {
        for (MemberId other : ports.keySet()) {
            cut(member, other);
            cut(other, member);
        }
    }

    /** Restores everything. */
    synchronized void heal() {
        cut.clear();
        delays.clear();
    }

    /** Slows one direction down. */
    void delay(MemberId from, MemberId to, Duration delay) {
        delays.put(new Link(from, to), delay);
    }

    /** Number of requests for pieces of snapshots so far. */
    long fileRequests() {
        return fileRequests.get();
    }

    private synchronized boolean isCut(Link link) {
        return cut.contains(link);
    }

    /** Lets something travel. */
    private void travel(MemberId from, MemberId to, Runnable arrival) {
        Link link = new Link(from, to);
        if (isCut(link)) {
            return;
        }
        Duration delay = delays.get(link);
        if (delay == null) {
            arrival.run();
        } else {
            var _ = clock.schedule(
                    () -> {
                        if (!isCut(link)) {
                            arrival.run();
                        }
                    },
                    delay.toNanos(),
                    TimeUnit.NANOSECONDS);
        }
    }

    @Override
    public void close() {
        clock.shutdownNow();
    }

    /** A member's plug. */
    private final class Port implements Transport {
        private final MemberId self;
        private volatile Receiver receiver =
                (from, lane, request) -> CompletableFuture.failedFuture(new IllegalStateException("not started"));

        Port(MemberId self) {
            this.self = self;
        }

        @Override
        public void start(Receiver newReceiver) {
            receiver = newReceiver;
            ports.put(self, this);
        }

        @Override
        public CompletableFuture<ByteBuffer> send(MemberId target, Lane lane, ByteBuffer request, Duration timeout) {
            CompletableFuture<ByteBuffer> response = new CompletableFuture<>();
            if (lane == Lane.FILES) {
                fileRequests.incrementAndGet();
            }
            travel(self, target, () -> {
                Port port = ports.get(target);
                if (port == null) {
                    response.completeExceptionally(new IllegalStateException("connection refused"));
                    return;
                }
                var _ = port.receiver.receive(self, lane, request).whenComplete((bytes, failure) -> {
                    if (failure == null) {
                        travel(target, self, () -> response.complete(bytes));
                    } else {
                        response.completeExceptionally(failure);
                    }
                });
            });
            return response;
        }

        @Override
        public void close() {
            ports.remove(self, this);
        }
    }
}

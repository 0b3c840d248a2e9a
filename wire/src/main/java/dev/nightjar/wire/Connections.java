/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.wire;

import io.netty.channel.Channel;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/** The open connections of a server; used by all loops and by the thread that stops the server. */
final class Connections {

    private final ChannelGroup open = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE, true);
    private final AtomicInteger count = new AtomicInteger();
    private final WireObserver observer;
    private final int max;
    private volatile boolean draining;

    Connections(PortConfig config) {
        observer = config.observer();
        max = config.limits().maxConnections();
    }

    /** Takes a new connection in; false if there are too many, or if the server is ending. */
    boolean admit(Channel channel) {
        if (count.incrementAndGet() > max) {
            count.decrementAndGet();
            return false;
        }
        observer.connections(1);
        channel.closeFuture().addListener(closed -> {
            count.decrementAndGet();
            observer.connections(-1);
        });
        open.add(channel);
        return !draining;
    }

    /** Asks all connections to end when their calls have ended. */
    void drain() {
        draining = true;
        for (Channel channel : open) {
            channel.pipeline().fireUserEventTriggered(Drain.INSTANCE);
        }
    }

    /** Closes all connections, whatever they are doing. */
    @SuppressWarnings("FutureReturnValueIgnored") // whenClosed tells
    void cut() {
        open.close();
    }

    /** Done when those that are open now are closed. */
    CompletableFuture<Void> whenClosed() {
        var done = new CompletableFuture<Void>();
        open.newCloseFuture().addListener(closed -> done.complete(null));
        return done;
    }
}

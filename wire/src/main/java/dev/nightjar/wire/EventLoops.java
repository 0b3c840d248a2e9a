/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.wire;

import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerDomainSocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.FastThreadLocalThread;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** The event loops of a process, one thread each; made and closed by any other thread. Native epoll where it loads. */
public final class EventLoops implements AutoCloseable {

    /** Longest wait for the loops to end what they are doing; nothing on a loop may block, so it is never used up. */
    private static final long CLOSE_SECONDS = 5;

    private final MultiThreadIoEventLoopGroup group;
    private final List<EventLoop> all;
    private final boolean epoll;

    private EventLoops(int loops, boolean epoll) {
        this.epoll = epoll;
        group = new MultiThreadIoEventLoopGroup(
                loops, loopThreads(), epoll ? EpollIoHandler.newFactory() : NioIoHandler.newFactory());
        List<EventLoop> members = new ArrayList<>();
        for (EventExecutor member : group) {
            members.add((EventLoop) member);
        }
        all = List.copyOf(members);
    }

    /** Loads what {@link #create} needs, which takes a while: for a thread beside the one that will make the loops. */
    public static void load() {
        Epoll.isAvailable();
    }

    /**
     * Makes loops, on epoll if its native part loads, else on NIO.
     *
     * @param loops number of threads, at least one
     */
    public static EventLoops create(int loops) {
        return new EventLoops(loops, Epoll.isAvailable());
    }

    /** Makes loops on NIO, as {@link #create} does where epoll is missing. */
    static EventLoops createNio(int loops) {
        return new EventLoops(loops, false);
    }

    /** Every loop, in a fixed order. */
    public List<EventLoop> all() {
        return all;
    }

    EventLoopGroup group() {
        return group;
    }

    boolean isEpoll() {
        return epoll;
    }

    /** The kind of channel that listens on an address. */
    Class<? extends ServerChannel> serverChannel(SocketAddress address) {
        if (address instanceof DomainSocketAddress) {
            return epoll ? EpollServerDomainSocketChannel.class : NioServerDomainSocketChannel.class;
        }
        return epoll ? EpollServerSocketChannel.class : NioServerSocketChannel.class;
    }

    /** Closes every connection of the loops hard and ends their threads; waits for that unless called on a loop. */
    @Override
    public void close() {
        var ended = group.shutdownGracefully(0, CLOSE_SECONDS, TimeUnit.SECONDS);
        for (EventLoop loop : all) {
            if (loop.inEventLoop()) {
                return;
            }
        }
        ended.awaitUninterruptibly(CLOSE_SECONDS, TimeUnit.SECONDS);
    }

    private static ThreadFactory loopThreads() {
        var next = new AtomicInteger();
        return task -> {
            var thread = new FastThreadLocalThread(task, "nightjar-loop-" + next.getAndIncrement());
            thread.setDaemon(true);
            return thread;
        };
    }
}

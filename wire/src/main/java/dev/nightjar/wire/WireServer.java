/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.wire;

import io.grpc.ServerMethodDefinition;
import io.grpc.ServerServiceDefinition;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOption;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.handler.ssl.SslContext;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A port, or several that serve the same: gRPC, HTTP/2 and HTTP/1.1 side by side, in plaintext or behind TLS. Started and
 * stopped by any thread that is not one of its loops.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a failed write or close ends the connection, which is told elsewhere
public final class WireServer {

    private static final Logger LOG = LoggerFactory.getLogger(WireServer.class);

    /** Connections that the kernel may have accepted and we have not; enough for a burst of reconnects. */
    private static final int BACKLOG = 1024;

    /** A silent client's machine is probed this often, so that one that lost its network is found within minutes. */
    private static final int PROBE_SECONDS = 15;

    /** A turn's bytes fit, so that they leave in one system call; what has not left is refilled when a part of them is left. */
    private static final WriteBufferWaterMark WRITES =
            new WriteBufferWaterMark(TurnDistributor.CONNECTION_TURN_BYTES / 8, TurnDistributor.CONNECTION_TURN_BYTES);

    /** Room for several requests with what else clients send, so that few reads find their buffer too small. */
    private static final RecvByteBufAllocator READS = new AdaptiveRecvByteBufAllocator(1024, 2048, 64 * 1024);

    private final List<Channel> listeners = new ArrayList<>();
    private final List<SocketAddress> addresses = new ArrayList<>();
    private final AtomicBoolean listening = new AtomicBoolean(true);
    private final EventLoops loops;
    private final PortConfig config;
    private final Connections connections;

    private WireServer(EventLoops loops, PortConfig config) {
        this.loops = loops;
        this.config = config;
        connections = new Connections(config);
    }

    /** Begins the description of a server that runs on {@code loops}. */
    public static Builder builder(EventLoops loops) {
        return new Builder(loops);
    }

    /** What is listened on, with the real port where zero was asked for; in the order asked for. */
    public List<SocketAddress> addresses() {
        return List.copyOf(addresses);
    }

    /** Takes no new connections; those that are open go on. Does nothing the second time. */
    public void stopListening() {
        if (!listening.compareAndSet(true, false)) {
            return;
        }
        for (Channel listener : listeners) {
            listener.close().awaitUninterruptibly();
        }
        for (SocketAddress address : addresses) {
            if (address instanceof DomainSocketAddress unix) {
                removeSocketFile(unix);
            }
        }
    }

    /**
     * Stops listening, asks every client to go and lets its calls end; whatever is left at the deadline is cut off.
     *
     * @param grace how long calls may go on
     * @return done when the last connection is closed
     */
    public CompletableFuture<Void> shutdown(Duration grace) {
        stopListening();
        connections.drain();
        var deadline = loops.all().getFirst().schedule(connections::cut, grace.toMillis(), TimeUnit.MILLISECONDS);
        return connections.whenClosed().thenRun(() -> deadline.cancel(false));
    }

    private void listen(SocketAddress address) throws ListenException {
        boolean inet = address instanceof InetSocketAddress;
        if (address instanceof InetSocketAddress host && host.isUnresolved()) {
            throw new ListenException(address, new IOException("no such host"));
        }
        if (address instanceof DomainSocketAddress unix) {
            removeSocketFile(unix);
        }
        var bootstrap = new ServerBootstrap()
                .group(loops.group(), loops.group())
                .channel(loops.serverChannel(address))
                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, WRITES)
                .childOption(ChannelOption.RECVBUF_ALLOCATOR, READS)
                .childHandler(new ConnectionInitializer(config, connections));
        if (inet) {
            bootstrap.childOption(ChannelOption.TCP_NODELAY, true).childOption(ChannelOption.SO_KEEPALIVE, true);
        }
        if (inet && loops.isEpoll()) {
            bootstrap
                    .childOption(EpollChannelOption.TCP_KEEPIDLE, PROBE_SECONDS)
                    .childOption(EpollChannelOption.TCP_KEEPINTVL, PROBE_SECONDS);
        }
        ChannelFuture bound = bootstrap.bind(nativeAddress(address)).awaitUninterruptibly();
        if (!bound.isSuccess()) {
            throw new ListenException(address, bound.cause());
        }
        listeners.add(bound.channel());
        addresses.add(inet ? bound.channel().localAddress() : address);
    }

    /** NIO names unix sockets by the JDK's address class. */
    private SocketAddress nativeAddress(SocketAddress address) {
        return address instanceof DomainSocketAddress unix && !loops.isEpoll()
                ? UnixDomainSocketAddress.of(unix.path())
                : address;
    }

    /** A unix socket's file outlives its process; without this the next one could not listen there. */
    private static void removeSocketFile(DomainSocketAddress address) {
        Path file = Path.of(address.path());
        try {
            if (Files.exists(file, LinkOption.NOFOLLOW_LINKS)
                    && Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                            .isOther()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            LOG.warn("socket file {} could not be removed", file, e);
        }
    }

    /** Describes a server. Used by one thread. */
    public static final class Builder {

        private static final HttpHandler NOT_FOUND = exchange -> exchange.respond(
                404, "text/plain; charset=utf-8", "404 page not found\n".getBytes(StandardCharsets.US_ASCII), Map.of());

        private final EventLoops loops;
        private final List<SocketAddress> listen = new ArrayList<>();
        private final Map<String, RawHandler> methods = new HashMap<>();
        private HttpHandler http = NOT_FOUND;
        private WireLimits limits = WireLimits.defaults();
        private WireObserver observer = new WireObserver() {};
        private PortTuning tuning = PortTuning.defaults();
        private @Nullable Supplier<SslContext> tls;

        private Builder(EventLoops loops) {
            this.loops = loops;
        }

        /**
         * Adds an address to listen on: an {@link InetSocketAddress}, whose port may be zero for any, or a {@link
         * DomainSocketAddress}, whose left-over file is replaced.
         */
        public Builder listen(SocketAddress address) {
            if (!(address instanceof InetSocketAddress) && !(address instanceof DomainSocketAddress)) {
                throw new IllegalArgumentException("not an address to listen on: " + address);
            }
            listen.add(address);
            return this;
        }

        /**
         * Serves a method at the level of bytes, on the loops.
         *
         * @param fullMethod {@code package.Service/Name}
         */
        public Builder raw(String fullMethod, RawHandler handler) {
            if (methods.putIfAbsent(fullMethod, handler) != null) {
                throw new IllegalArgumentException("served twice: " + fullMethod);
            }
            return this;
        }

        /** Serves a generated service on the loops, which it must not block. Methods with a raw handler are left out. */
        public Builder service(ServerServiceDefinition service) {
            return add(service, null);
        }

        /** Serves a generated service that may block: its callbacks run on {@code executor}, in order for each call. */
        public Builder service(ServerServiceDefinition service, Executor executor) {
            return add(service, executor);
        }

        private Builder add(ServerServiceDefinition service, @Nullable Executor executor) {
            for (ServerMethodDefinition<?, ?> method : service.getMethods()) {
                String name = method.getMethodDescriptor().getFullMethodName();
                methods.putIfAbsent(name, new ServiceHandler<>(method, executor));
            }
            return this;
        }

        /** Serves what is not gRPC; without it every path is not found. */
        public Builder http(HttpHandler handler) {
            http = handler;
            return this;
        }

        /** Sets the limits; {@link WireLimits#defaults()} without it. */
        public Builder limits(WireLimits chosen) {
            limits = chosen;
            return this;
        }

        /** Counts what passes. */
        public Builder observer(WireObserver chosen) {
            observer = chosen;
            return this;
        }

        /**
         * Puts TLS in front. Each new connection asks for the context, so that certificates can change without a
         * restart. The context must offer {@code h2} and {@code http/1.1}: see {@link WireTls#alpn()}.
         */
        public Builder tls(Supplier<SslContext> contexts) {
            tls = contexts;
            return this;
        }

        Builder tuning(PortTuning chosen) {
            tuning = chosen;
            return this;
        }

        /**
         * Opens the port.
         *
         * @throws ListenException if an address cannot be listened on; none is then
         */
        public WireServer start() throws ListenException {
            var config = new PortConfig(new MethodTable(methods), http, limits, observer, tls, tuning);
            var server = new WireServer(loops, config);
            try {
                for (SocketAddress address : listen) {
                    server.listen(address);
                }
            } catch (ListenException e) {
                server.stopListening();
                throw e;
            }
            return server;
        }
    }
}

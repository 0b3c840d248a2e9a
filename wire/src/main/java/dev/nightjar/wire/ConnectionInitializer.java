/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.wire;

import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.group.ChannelGroup;
import io.netty.handler.ssl.SslContext;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/** Takes in new connections, up to the limit; one for each listener, called on the connections' loops. */
@SuppressWarnings("FutureReturnValueIgnored") // a failed write or close ends the connection, which is told elsewhere
final class ConnectionInitializer extends ChannelInitializer<Channel> {

    private final PortConfig config;
    private final ChannelGroup connections;
    private final AtomicInteger open;

    ConnectionInitializer(PortConfig config, ChannelGroup connections, AtomicInteger open) {
        this.config = config;
        this.connections = connections;
        this.open = open;
    }

    @Override
    protected void initChannel(Channel channel) {
        if (open.incrementAndGet() > config.limits().maxConnections()) {
            open.decrementAndGet();
            channel.close();
            return;
        }
        config.observer().connections(1);
        channel.closeFuture().addListener(closed -> {
            open.decrementAndGet();
            config.observer().connections(-1);
        });
        connections.add(channel);
        Supplier<SslContext> tls = config.tls();
        if (tls == null) {
            channel.pipeline().addLast(new ProtocolSniffer(config));
        } else {
            channel.pipeline().addLast(tls.get().newHandler(channel.alloc()), new TlsGate(config));
        }
    }
}

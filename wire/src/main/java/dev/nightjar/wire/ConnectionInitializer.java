/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.wire;

import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.handler.ssl.SslContext;
import java.util.function.Supplier;

/** Sets new connections up; called on their loops. */
final class ConnectionInitializer extends ChannelInitializer<Channel> {

    private final PortConfig config;
    private final Connections connections;

    ConnectionInitializer(PortConfig config, Connections connections) {
        this.config = config;
        this.connections = connections;
    }

    @Override
    @SuppressWarnings("FutureReturnValueIgnored") // a close cannot fail
    protected void initChannel(Channel channel) {
        if (!connections.admit(channel)) {
            channel.close();
            return;
        }
        Supplier<SslContext> tls = config.tls();
        if (tls == null) {
            channel.pipeline().addLast(new ProtocolSniffer(config));
        } else {
            channel.pipeline().addLast(tls.get().newHandler(channel.alloc()), new TlsGate(config));
        }
    }
}

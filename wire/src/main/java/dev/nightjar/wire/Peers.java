/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.wire;

import io.netty.channel.Channel;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.handler.ssl.SslHandler;
import java.net.SocketAddress;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/** What a channel tells about its other end. Stateless. */
final class Peers {

    /** A unix socket's client has no address. */
    private static final SocketAddress UNNAMED = new DomainSocketAddress("");

    private Peers() {}

    static SocketAddress remoteAddress(Channel channel) {
        @Nullable SocketAddress address = channel.remoteAddress();
        return address == null ? UNNAMED : address;
    }

    static @Nullable SSLSession tlsSession(Channel channel) {
        SslHandler tls = channel.pipeline().get(SslHandler.class);
        return tls == null ? null : tls.engine().getSession();
    }
}

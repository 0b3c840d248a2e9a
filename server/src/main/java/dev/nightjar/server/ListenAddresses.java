/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server;

import dev.nightjar.server.config.ServerUrl;
import io.netty.channel.unix.DomainSocketAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;

/** URLs as addresses to listen on. Stateless. */
final class ListenAddresses {
    private ListenAddresses() {}

    /** {@code localhost} is 127.0.0.1, as an address to bind has to be one. */
    static SocketAddress of(ServerUrl url) {
        if (url.scheme().local()) {
            return new DomainSocketAddress(url.socketPath());
        }
        if (url.host().isEmpty()) {
            return new InetSocketAddress(url.port());
        }
        String host = url.host().equals("localhost") ? "127.0.0.1" : url.host();
        return new InetSocketAddress(host, url.port());
    }

    /** The URLs with the ports that are really listened on, in the same order. */
    static List<ServerUrl> bound(List<ServerUrl> asked, List<SocketAddress> real) {
        List<ServerUrl> urls = new ArrayList<>();
        for (int i = 0; i < asked.size(); i++) {
            ServerUrl url = asked.get(i);
            urls.add(
                    real.get(i) instanceof InetSocketAddress inet
                            ? new ServerUrl(url.scheme(), url.host(), inet.getPort(), url.path())
                            : url);
        }
        return urls;
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.rpc;

import dev.nightjar.core.watch.WatcherQuota;
import dev.nightjar.server.node.Node;
import dev.nightjar.wire.RawCall;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.util.AttributeKey;

/**
 * The Watch service: opens a {@link ServerWatchStream} on the shard of the call's loop for each call. Any loop; holds no
 * state.
 */
public final class WatchServer {
    /** The watchers of a connection, over all its streams. */
    private static final AttributeKey<WatcherQuota> WATCHERS = AttributeKey.valueOf(WatchServer.class, "watchers");

    private final Node node;
    private final WatchEncoder encoder;

    public WatchServer(Node node, HeaderWriter headers) {
        this.node = node;
        this.encoder = new WatchEncoder(headers);
    }

    RawCall.Listener watch(RawCall call, Http2Headers headers) {
        WatcherQuota quota = call.ofConnection(WATCHERS, () -> new WatcherQuota(node.watchersPerConnection()));
        return new ServerWatchStream(call, encoder, node.shardOf(call.loop()), quota);
    }
}

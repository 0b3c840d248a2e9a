/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.wire;

import io.netty.handler.codec.http2.AbstractHttp2ConnectionHandlerBuilder;
import io.netty.handler.codec.http2.DefaultHttp2Connection;
import io.netty.handler.codec.http2.DefaultHttp2LocalFlowController;
import io.netty.handler.codec.http2.DefaultHttp2RemoteFlowController;
import io.netty.handler.codec.http2.Http2ConnectionDecoder;
import io.netty.handler.codec.http2.Http2ConnectionEncoder;
import io.netty.handler.codec.http2.Http2Settings;

/** Puts a connection's codec together; used once, on the connection's loop. */
final class ServerConnectionBuilder
        extends AbstractHttp2ConnectionHandlerBuilder<ServerConnection, ServerConnectionBuilder> {

    /** What a client may send before we have taken it, on one stream and, given back at once, on a connection. */
    static final int WINDOW_BYTES = 1024 * 1024;

    /** Largest frame; small ones let streams take turns. */
    private static final int FRAME_BYTES = 16 * 1024;

    /** Longest wait for a last goodbye to leave a broken connection. */
    private static final long GOODBYE_MILLIS = 5_000;

    private static final float REFILL_AT = 0.5f;

    private final PortConfig config;
    private final TurnDistributor turns;

    private ServerConnectionBuilder(PortConfig config, TurnDistributor turns) {
        this.config = config;
        this.turns = turns;
    }

    static ServerConnection build(PortConfig config) {
        var connection = new DefaultHttp2Connection(true, 0);
        connection.local().flowController(new DefaultHttp2LocalFlowController(connection, REFILL_AT, true));
        var turns = new TurnDistributor(connection);
        connection.remote().flowController(new DefaultHttp2RemoteFlowController(connection, turns));
        int resets = config.tuning().rstFrames();
        return new ServerConnectionBuilder(config, turns)
                .connection(connection)
                .initialSettings(new Http2Settings()
                        .initialWindowSize(WINDOW_BYTES)
                        .maxFrameSize(FRAME_BYTES)
                        .maxConcurrentStreams(config.limits().maxConcurrentStreams())
                        .maxHeaderListSize(config.limits().maxHeaderListBytes()))
                .decoderEnforceMaxRstFramesPerWindow(resets, PortTuning.RST_WINDOW_SECONDS)
                .encoderEnforceMaxRstFramesPerWindow(resets, PortTuning.RST_WINDOW_SECONDS)
                .validateRequiredPseudoHeaders(true)
                .gracefulShutdownTimeoutMillis(GOODBYE_MILLIS)
                .decoupleCloseAndGoAway(true)
                .build();
    }

    @Override
    protected ServerConnection build(
            Http2ConnectionDecoder decoder, Http2ConnectionEncoder encoder, Http2Settings initialSettings) {
        return new ServerConnection(decoder, encoder, initialSettings, config, turns);
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.wire;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2FrameAdapter;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.handler.codec.http2.Http2Stream;

/** Takes a connection's frames, checked by Netty, in the order of the wire, to whom they concern; on its loop. */
final class FrameReader extends Http2FrameAdapter {

    private final ServerConnection connection;
    private final StreamRouter router;
    private final PingRule pingRule;

    FrameReader(ServerConnection connection, PingRule pingRule) {
        this.connection = connection;
        this.pingRule = pingRule;
        router = new StreamRouter(connection, connection.config());
    }

    @Override
    public void onHeadersRead(
            ChannelHandlerContext ctx, int streamId, Http2Headers headers, int padding, boolean endOfStream) {
        Http2Stream stream = connection.connection().stream(streamId);
        StreamOwner owner = connection.owner(stream);
        if (owner == null && stream.isHeadersSent()) {
            return; // the trailers of a call that was refused
        }
        if (owner == null) {
            router.begin(stream, headers, endOfStream);
        } else if (endOfStream) {
            owner.onHalfClose();
        }
    }

    @Override
    public void onHeadersRead(
            ChannelHandlerContext ctx,
            int streamId,
            Http2Headers headers,
            int streamDependency,
            short weight,
            boolean exclusive,
            int padding,
            boolean endOfStream) {
        onHeadersRead(ctx, streamId, headers, padding, endOfStream);
    }

    @Override
    public int onDataRead(ChannelHandlerContext ctx, int streamId, ByteBuf data, int padding, boolean endOfStream) {
        StreamOwner owner = connection.owner(connection.connection().stream(streamId));
        if (owner == null) {
            return data.readableBytes() + padding;
        }
        return owner.onData(data, endOfStream) + padding;
    }

    @Override
    public void onWindowUpdateRead(ChannelHandlerContext ctx, int streamId, int windowSizeIncrement) {
        Http2Stream stream = connection.connection().stream(streamId);
        if (streamId == 0) {
            connection.blocked().askAllLater();
        } else if (stream != null) {
            StreamOwner owner = connection.owner(stream);
            if (owner != null) {
                connection.blocked().askLater(owner);
            }
        }
    }

    @Override
    public void onSettingsRead(ChannelHandlerContext ctx, Http2Settings settings) {
        connection.keepalive().onSettings();
        connection.blocked().askAllLater();
    }

    @Override
    public void onPingRead(ChannelHandlerContext ctx, long data) {
        if (pingRule.isBroken(System.nanoTime(), connection.connection().numActiveStreams() > 0)) {
            connection.goAwayAndClose(Http2Error.ENHANCE_YOUR_CALM, "too_many_pings");
        }
    }

    @Override
    public void onPingAckRead(ChannelHandlerContext ctx, long data) {
        connection.drain().onPingAck(data);
    }
}

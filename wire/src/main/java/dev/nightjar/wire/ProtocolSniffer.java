/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.wire;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.util.concurrent.Future;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells HTTP/2 from HTTP/1.1 by a plaintext connection's first bytes: no HTTP/1.1 method begins like HTTP/2's preface.
 * Owned by the connection's loop.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a failed write or close ends the connection, which is told elsewhere
final class ProtocolSniffer extends ByteToMessageDecoder {

    private static final Logger LOG = LoggerFactory.getLogger(ProtocolSniffer.class);
    private static final int PREFACE_START = 'P' << 16 | 'R' << 8 | 'I';
    private static final int PREFACE_START_BYTES = 3;

    private final PortConfig config;
    private @Nullable Future<?> timeout;

    ProtocolSniffer(PortConfig config) {
        this.config = config;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        long nanos = config.tuning().headerTimeout().toNanos();
        timeout = ctx.executor().schedule(() -> ctx.close(), nanos, TimeUnit.NANOSECONDS);
    }

    @Override
    protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) {
        if (in.readableBytes() < PREFACE_START_BYTES) {
            return;
        }
        if (in.getUnsignedMedium(in.readerIndex()) == PREFACE_START) {
            ctx.pipeline().addLast(ServerConnectionBuilder.build(config));
        } else {
            Http1Connection.addTo(ctx.pipeline(), config);
        }
        ctx.pipeline().remove(this);
    }

    @Override
    protected void handlerRemoved0(ChannelHandlerContext ctx) {
        Future<?> timer = timeout;
        if (timer != null) {
            timer.cancel(false);
            timeout = null;
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) throws Exception {
        if (event == Drain.INSTANCE) {
            ctx.close();
        } else {
            super.userEventTriggered(ctx, event);
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        LOG.debug("connection {} broke", ctx.channel(), cause);
        ctx.close();
    }
}

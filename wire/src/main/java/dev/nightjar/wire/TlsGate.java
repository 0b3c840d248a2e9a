/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.wire;

import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.ApplicationProtocolNegotiationHandler;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Puts the protocol that client and server agreed on behind TLS; owned by the connection's loop. */
@SuppressWarnings("FutureReturnValueIgnored") // a failed write or close ends the connection, which is told elsewhere
final class TlsGate extends ApplicationProtocolNegotiationHandler {

    private static final Logger LOG = LoggerFactory.getLogger(TlsGate.class);

    private final PortConfig config;

    TlsGate(PortConfig config) {
        super(ApplicationProtocolNames.HTTP_1_1);
        this.config = config;
    }

    @Override
    protected void configurePipeline(ChannelHandlerContext ctx, String protocol) {
        if (protocol.equals(ApplicationProtocolNames.HTTP_2)) {
            ctx.pipeline().addLast(ServerConnectionBuilder.build(config));
        } else {
            Http1Connection.addTo(ctx.pipeline(), config);
        }
    }

    @Override
    protected void handshakeFailure(ChannelHandlerContext ctx, Throwable cause) {
        LOG.warn(
                "rejected connection: remote-addr={} error={}",
                ctx.channel().remoteAddress(),
                String.valueOf(cause.getMessage()));
        ctx.close();
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
        LOG.debug("connection {} broke before its protocol was agreed on", ctx.channel(), cause);
        ctx.close();
    }
}

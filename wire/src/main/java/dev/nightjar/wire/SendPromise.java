/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.wire;

import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.DefaultChannelPromise;

/** A send under way: tells its stream and connection when its bytes are gone. Owned by the connection's loop. */
@SuppressWarnings("FutureReturnValueIgnored") // a failed write or close ends the connection, which is told elsewhere
final class SendPromise extends DefaultChannelPromise implements ChannelFutureListener {

    private final ServerConnection connection;
    private final StreamOwner owner;
    private final int bytes;

    SendPromise(ChannelHandlerContext ctx, ServerConnection connection, StreamOwner owner, int bytes) {
        super(ctx.channel(), ctx.executor());
        this.connection = connection;
        this.owner = owner;
        this.bytes = bytes;
        addListener(this);
    }

    @Override
    public void operationComplete(ChannelFuture future) {
        connection.room().left(bytes);
        owner.onSent(bytes);
    }
}

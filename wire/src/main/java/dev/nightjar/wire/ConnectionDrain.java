/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.wire;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.handler.codec.http2.Http2Error;
import java.util.concurrent.TimeUnit;

/**
 * Ends a connection without losing a call; owned by the connection's loop.
 *
 * <p>A first goodbye names no last stream, so that calls already on their way are still served. Once the client has seen
 * it, which the answer to a ping proves, a second goodbye names the last stream that is served. The connection closes
 * when the last call has ended.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a failed write or close ends the connection, which is told elsewhere
final class ConnectionDrain {

    private enum State {
        SERVING,
        ANNOUNCED,
        ENDING
    }

    /** The ping that follows the first goodbye. */
    private static final long PING = 0x6e69_6768_746a_6172L;

    /** A client that answers no ping by then gets the second goodbye anyway. */
    static final long ANNOUNCE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final ServerConnection connection;
    private State state = State.SERVING;

    ConnectionDrain(ServerConnection connection) {
        this.connection = connection;
    }

    void start() {
        if (state != State.SERVING) {
            return;
        }
        state = State.ANNOUNCED;
        sayGoodbye(Integer.MAX_VALUE);
        connection.ping(PING);
        connection.schedule(this::end, ANNOUNCE_NANOS);
    }

    void onPingAck(long data) {
        if (data == PING) {
            end();
        }
    }

    void onStreamRemoved() {
        closeIfIdle();
    }

    private void end() {
        if (state != State.ANNOUNCED) {
            return;
        }
        state = State.ENDING;
        if (connection.ctx().channel().isActive()) {
            sayGoodbye(connection.connection().remote().lastStreamCreated());
            connection.ctx().flush();
            closeIfIdle();
        }
    }

    private void sayGoodbye(int lastStream) {
        var ctx = connection.ctx();
        connection.goAway(ctx, lastStream, Http2Error.NO_ERROR.code(), Unpooled.EMPTY_BUFFER, ctx.newPromise());
    }

    private void closeIfIdle() {
        if (state == State.ENDING && connection.connection().numActiveStreams() == 0) {
            connection.ctx().writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
        }
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http2.Http2Connection;
import io.netty.handler.codec.http2.Http2ConnectionAdapter;
import io.netty.handler.codec.http2.Http2ConnectionDecoder;
import io.netty.handler.codec.http2.Http2ConnectionEncoder;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.handler.codec.http2.Http2Stream;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One HTTP/2 connection; all its state is owned by its event loop.
 *
 * <p>Incoming: each stream carries a {@link StreamOwner}, a gRPC call or a plain request, chosen by {@link StreamRouter}
 * when {@link FrameReader} sees its headers. The connection's own window is given back at once, a stream's only when its
 * owner has taken the bytes: one paused call does not stop its neighbours.
 *
 * <p>Outgoing: {@link ConnectionOutput} says when bytes leave.
 *
 * <p>A stream that takes no more bytes waits in {@link BlockedStreams} until there is reason to ask it again.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a failed write or close ends the connection, which is told elsewhere
final class ServerConnection extends Http2ConnectionHandler {

    private static final Logger LOG = LoggerFactory.getLogger(ServerConnection.class);

    private final PortConfig config;
    private final Http2Connection.PropertyKey ownerKey;
    private final ConnectionOutput output;
    private final Keepalive keepalive;
    private final ConnectionDrain drain;
    private final BlockedStreams blocked = new BlockedStreams(this);
    private final AnswerRoom room;

    private @Nullable ChannelHandlerContext context;
    private long heldBytes;

    ServerConnection(
            Http2ConnectionDecoder decoder,
            Http2ConnectionEncoder encoder,
            Http2Settings settings,
            PortConfig config,
            TurnDistributor turns) {
        super(decoder, encoder, settings, true);
        this.config = config;
        var pingRule = new PingRule(config.limits().keepaliveMinTime().toNanos());
        output = new ConnectionOutput(this, turns, pingRule);
        ownerKey = connection().newKey();
        keepalive = new Keepalive(this, config.limits(), config.tuning());
        drain = new ConnectionDrain(this);
        room = new AnswerRoom(this, config.tuning().answers());
        connection().addListener(new StreamEnds());
        decoder.frameListener(new FrameReader(this, pingRule));
    }

    ChannelHandlerContext ctx() {
        ChannelHandlerContext current = context;
        if (current == null) {
            throw new IllegalStateException("the connection is not in a pipeline");
        }
        return current;
    }

    EventLoop loop() {
        return ctx().channel().eventLoop();
    }

    SocketAddress remoteAddress() {
        return Peers.remoteAddress(ctx().channel());
    }

    @Nullable
    SSLSession tlsSession() {
        return Peers.tlsSession(ctx().channel());
    }

    PortConfig config() {
        return config;
    }

    ConnectionOutput output() {
        return output;
    }

    BlockedStreams blocked() {
        return blocked;
    }

    AnswerRoom room() {
        return room;
    }

    ConnectionDrain drain() {
        return drain;
    }

    Keepalive keepalive() {
        return keepalive;
    }

    // ---- life ----

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) throws Exception {
        context = ctx;
        super.handlerAdded(ctx);
        Http2Stream whole = connection().connectionStream();
        int window = decoder().flowController().windowSize(whole);
        decoder().flowController().incrementWindowSize(whole, ServerConnectionBuilder.WINDOW_BYTES - window);
        ctx.flush();
        keepalive.start();
    }

    @Override
    protected void handlerRemoved0(ChannelHandlerContext ctx) throws Exception {
        keepalive.stop();
        super.handlerRemoved0(ctx);
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) throws Exception {
        if (event == Drain.INSTANCE) {
            drain.start();
        } else {
            super.userEventTriggered(ctx, event);
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) throws Exception {
        if (cause instanceof Http2Exception) {
            super.exceptionCaught(ctx, cause);
        } else {
            LOG.debug("connection {} broke", ctx.channel(), cause);
            ctx.close();
        }
    }

    @Override
    protected void onStreamError(
            ChannelHandlerContext ctx, boolean outbound, Throwable cause, Http2Exception.StreamException error) {
        Http2Stream stream = connection().stream(error.streamId());
        boolean over = stream == null || stream.state() == Http2Stream.State.CLOSED;
        if (outbound && over) {
            return; // bytes of a stream that the client has reset: there is nobody to tell
        }
        LOG.debug("stream {} of {} broke", error.streamId(), ctx.channel(), cause);
        super.onStreamError(ctx, outbound, cause, error);
    }

    @Override
    protected void onConnectionError(
            ChannelHandlerContext ctx, boolean outbound, Throwable cause, @Nullable Http2Exception error) {
        if (error == null && cause instanceof IOException) {
            LOG.debug("connection {} broke", ctx.channel(), cause);
            ctx.close();
            return;
        }
        if (error == null) {
            LOG.warn("connection {} failed", ctx.channel(), cause);
        } else {
            LOG.debug("connection {} broke the protocol", ctx.channel(), cause);
        }
        super.onConnectionError(ctx, outbound, cause, error);
    }

    /** Says goodbye with a reason and closes. */
    void goAwayAndClose(Http2Error error, String reason) {
        ByteBuf debug = Unpooled.copiedBuffer(reason, StandardCharsets.US_ASCII);
        int last = connection().remote().lastStreamCreated();
        goAway(ctx(), last, error.code(), debug, ctx().newPromise()).addListener(ChannelFutureListener.CLOSE);
        ctx().flush();
    }

    // ---- reading ----

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object msg) throws Exception {
        output.readBegins();
        keepalive.onRead();
        super.channelRead(ctx, msg);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) throws Exception {
        output.readEnds();
        super.channelReadComplete(ctx);
    }

    @Nullable
    StreamOwner owner(Http2Stream stream) {
        return stream.getProperty(ownerKey);
    }

    void attach(Http2Stream stream, StreamOwner owner) {
        stream.setProperty(ownerKey, owner);
    }

    /** Counts request bytes that wait; false if that is too much for one connection. */
    boolean hold(int deltaBytes) {
        heldBytes += deltaBytes;
        return deltaBytes <= 0 || heldBytes <= config.tuning().heldBytes();
    }

    /** Gives bytes that were held back to the client's window again. */
    void giveBack(Http2Stream stream, int bytes) {
        try {
            if (decoder().flowController().consumeBytes(stream, bytes)) {
                output.requestFlush();
            }
        } catch (Http2Exception e) {
            onError(ctx(), true, e);
        }
    }

    // ---- writing ----

    @Override
    public void flush(ChannelHandlerContext ctx) {
        int window = output.flushBegins();
        super.flush(ctx);
        output.flushed(window);
    }

    /** Runs a task in the loop's next round: unlike a task that is just executed, it lets sockets have their turn first. */
    void afterOtherWork(Runnable task) {
        loop().schedule(task, 0, TimeUnit.NANOSECONDS);
    }

    // ---- who takes more bytes ----

    /** Whether stream, connection and socket take bytes beyond those queued. */
    boolean isOpenFor(Http2Stream stream, long streamQueuedBytes) {
        var windows = encoder().flowController();
        return ctx().channel().isWritable()
                && windows.windowSize(stream) > streamQueuedBytes
                && windows.windowSize(connection().connectionStream()) > 0;
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) throws Exception {
        super.channelWritabilityChanged(ctx);
        if (ctx.channel().isWritable()) {
            blocked.askAllLater();
        }
    }

    /** Ends of streams, by whatever cause. */
    private final class StreamEnds extends Http2ConnectionAdapter {
        @Override
        public void onStreamClosed(Http2Stream stream) {
            StreamOwner owner = owner(stream);
            if (owner != null) {
                owner.onStreamClosed();
                blocked.remove(owner);
            }
        }

        @Override
        public void onStreamRemoved(Http2Stream stream) {
            drain.onStreamRemoved();
        }
    }

    /** Ends an idle connection's silence: writes a ping whose answer proves the client alive. */
    void ping(long data) {
        encoder().writePing(ctx(), false, data, ctx().newPromise());
        ctx().flush();
    }

    /** Schedules on the loop; the task must check that it is still wanted. */
    Future<?> schedule(Runnable task, long nanos) {
        return loop().schedule(task, nanos, TimeUnit.NANOSECONDS);
    }
}

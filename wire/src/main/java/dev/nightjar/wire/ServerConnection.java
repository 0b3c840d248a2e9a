/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http2.Http2Connection;
import io.netty.handler.codec.http2.Http2ConnectionAdapter;
import io.netty.handler.codec.http2.Http2ConnectionDecoder;
import io.netty.handler.codec.http2.Http2ConnectionEncoder;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;
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
 * when {@link FrameReader} sees its headers. The connection's own window is given back at once, a stream's only when its owner has taken the
 * bytes: one paused call does not stop its neighbours.
 *
 * <p>Outgoing: writes enter Netty's flow controller, which shares the socket evenly among the streams. They leave in one
 * flush for each turn of the loop, or as soon as {@link #EARLY_FLUSH_BYTES} have gathered, while the bytes are still in
 * the processor's cache:
 *
 * <pre>
 * read turn:   frames -> calls -> send, send, finish ... -> channelReadComplete -> one flush
 * other turn:  task -> send (queues the flush task) -> send -> send -> flush task -> one flush
 * </pre>
 *
 * <p>A stream that takes no more bytes waits in {@link BlockedStreams} until there is reason to ask it again.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a failed write or close ends the connection, which is told elsewhere
final class ServerConnection extends Http2ConnectionHandler {

    /** A buffer of this size is written at once: waiting for the end of the turn only lets it fall out of the cache. */
    static final int EARLY_FLUSH_BYTES = 32 * 1024;

    private static final Logger log = LoggerFactory.getLogger(ServerConnection.class);

    private final PortConfig config;
    private final TurnDistributor turns;
    private final Http2Connection.PropertyKey ownerKey;
    private final PingRule pingRule;
    private final Keepalive keepalive;
    private final ConnectionDrain drain;
    private final BlockedStreams blocked = new BlockedStreams(this);
    private final AnswerRoom room;
    private final Runnable flushTask = this::flushQueued;
    private final Runnable turnTask = this::nextTurn;

    private @Nullable ChannelHandlerContext context;
    private boolean reading;
    private boolean flushQueued;
    private boolean turnQueued;
    private int unflushedBytes;
    private long heldBytes;

    ServerConnection(
            Http2ConnectionDecoder decoder,
            Http2ConnectionEncoder encoder,
            Http2Settings settings,
            PortConfig config,
            TurnDistributor turns) {
        super(decoder, encoder, settings, true);
        this.config = config;
        this.turns = turns;
        pingRule = new PingRule(config.limits().keepaliveMinTime().toNanos());
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
            log.debug("connection {} broke", ctx.channel(), cause);
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
        log.debug("stream {} of {} broke", error.streamId(), ctx.channel(), cause);
        super.onStreamError(ctx, outbound, cause, error);
    }

    @Override
    protected void onConnectionError(
            ChannelHandlerContext ctx, boolean outbound, Throwable cause, @Nullable Http2Exception error) {
        if (error == null && cause instanceof IOException) {
            log.debug("connection {} broke", ctx.channel(), cause);
            ctx.close();
            return;
        }
        if (error == null) {
            log.warn("connection {} failed", ctx.channel(), cause);
        } else {
            log.debug("connection {} broke the protocol", ctx.channel(), cause);
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
        reading = true;
        keepalive.onRead();
        super.channelRead(ctx, msg);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) throws Exception {
        beginTurn();
        reading = false; // what the flush brings about needs a flush of its own
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
                requestFlush();
            }
        } catch (Http2Exception e) {
            onError(ctx(), true, e);
        }
    }

    // ---- writing ----

    void writeHeaders(Http2Stream stream, Http2Headers headers) {
        encoder().writeHeaders(ctx(), stream.id(), headers, 0, false, ctx().newPromise());
        wrote(0);
    }

    /** Ends the answer; a client that has not ended its side is told that nobody listens any more. */
    void writeEnd(Http2Stream stream, Http2Headers headers) {
        var written = ctx().newPromise();
        encoder().writeHeaders(ctx(), stream.id(), headers, 0, true, written);
        resetAfter(written, stream);
        wrote(0);
    }

    private void resetAfter(ChannelPromise written, Http2Stream stream) {
        if (stream.state() == Http2Stream.State.HALF_CLOSED_REMOTE) {
            return;
        }
        written.addListener(done -> {
            if (stream.state() == Http2Stream.State.HALF_CLOSED_LOCAL) {
                encoder().writeRstStream(ctx(), stream.id(), Http2Error.NO_ERROR.code(), ctx().newPromise());
                requestFlush();
            }
        });
    }

    /** Queues a buffer, and takes it over. */
    void writeData(Http2Stream stream, StreamOwner owner, ByteBuf data) {
        write(stream, data, false, new SendPromise(ctx(), this, owner, data.readableBytes()));
    }

    /** Queues an answer's last bytes, takes the buffer over, and ends the answer. */
    void writeLastData(Http2Stream stream, StreamOwner owner, ByteBuf data) {
        var written = new SendPromise(ctx(), this, owner, data.readableBytes());
        write(stream, data, true, written);
        resetAfter(written, stream);
    }

    private void write(Http2Stream stream, ByteBuf data, boolean endOfStream, SendPromise written) {
        int bytes = data.readableBytes();
        room.queued(bytes);
        encoder().writeData(ctx(), stream.id(), data, 0, endOfStream, written);
        wrote(bytes);
    }

    void onSent(int bytes) {
        room.left(bytes);
    }

    private void wrote(int bytes) {
        pingRule.forgive();
        unflushedBytes += bytes;
        if (unflushedBytes >= EARLY_FLUSH_BYTES) {
            flush(ctx());
        } else {
            requestFlush();
        }
    }

    /** Sees to it that what is queued leaves by the end of the turn. */
    void requestFlush() {
        if (!reading && !flushQueued) {
            flushQueued = true;
            loop().execute(flushTask);
        }
    }

    private void flushQueued() {
        flushQueued = false;
        beginTurn();
        flush(ctx());
    }

    @Override
    public void flush(ChannelHandlerContext ctx) {
        unflushedBytes = 0;
        var windows = encoder().flowController();
        Http2Stream whole = connection().connectionStream();
        int before = windows.windowSize(whole);
        super.flush(ctx);
        if (windows.windowSize(whole) < before) {
            pingRule.forgive(); // a large answer leaves in many turns, and clients measure it with pings
        }
        if (turns.needsTurn() && !turnQueued) {
            turnQueued = true;
            afterOtherWork(turnTask);
        }
    }

    private void nextTurn() {
        turnQueued = false;
        turns.beginTurn();
        flush(ctx());
    }

    private void beginTurn() {
        if (!turnQueued) {
            turns.beginTurn();
        }
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

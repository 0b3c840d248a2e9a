/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.wire;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http2.Http2ConnectionEncoder;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2Stream;

/**
 * What a connection writes, and when it leaves for the socket; owned by the connection's loop.
 *
 * <p>Writes enter Netty's flow controller, which shares the socket evenly among the streams. They leave in one
 * flush for each turn of the loop, or as soon as {@link #EARLY_FLUSH_BYTES} have gathered, while the bytes are still in
 * the processor's cache:
 *
 * <pre>
 * read turn:   frames -> calls -> send, send, finish ... -> channelReadComplete -> one flush
 * other turn:  task -> send (queues the flush task) -> send -> send -> flush task -> one flush
 * </pre>
 */
@SuppressWarnings("FutureReturnValueIgnored") // a failed write or close ends the connection, which is told elsewhere
final class ConnectionOutput {

    /** A buffer of this size is written at once: waiting for the end of the turn only lets it fall out of the cache. */
    static final int EARLY_FLUSH_BYTES = 32 * 1024;

    private final ServerConnection connection;
    private final TurnDistributor turns;
    private final PingRule pingRule;
    private final Runnable flushTask = this::flushQueued;
    private final Runnable turnTask = this::nextTurn;

    private boolean reading;
    private boolean gathering;
    private boolean flushQueued;
    private boolean turnQueued;
    private int unflushedBytes;

    ConnectionOutput(ServerConnection connection, TurnDistributor turns, PingRule pingRule) {
        this.connection = connection;
        this.turns = turns;
        this.pingRule = pingRule;
    }

    private ChannelHandlerContext ctx() {
        return connection.ctx();
    }

    private Http2ConnectionEncoder encoder() {
        return connection.encoder();
    }

    /** Frames come in: what is written meanwhile is flushed when they have been read. */
    void readBegins() {
        reading = true;
    }

    /** Before the flush at the end of reading. */
    void readEnds() {
        beginTurn();
        reading = false; // what the flush brings about needs a flush of its own
    }

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
        write(stream, data, false, new SendPromise(ctx(), connection, owner, data.readableBytes()));
    }

    /** Queues an answer's last bytes, takes the buffer over, and ends the answer. */
    void writeLastData(Http2Stream stream, StreamOwner owner, ByteBuf data) {
        var written = new SendPromise(ctx(), connection, owner, data.readableBytes());
        write(stream, data, true, written);
        resetAfter(written, stream);
    }

    private void write(Http2Stream stream, ByteBuf data, boolean endOfStream, SendPromise written) {
        int bytes = data.readableBytes();
        connection.room().queued(bytes);
        encoder().writeData(ctx(), stream.id(), data, 0, endOfStream, written);
        wrote(bytes);
    }

    /** What is written until {@link #gathered} leaves in one flush; no other code of the loop runs in between. */
    void gather() {
        flushEarly();
        gathering = true;
    }

    /** While frames are read the flush waits for the next answer or the end of that, by when the client's side has ended. */
    void gathered() {
        gathering = false;
        if (reading || !flushEarly()) {
            requestFlush();
        }
    }

    private void wrote(int bytes) {
        pingRule.forgive();
        unflushedBytes += bytes;
        if (!gathering && !flushEarly()) {
            requestFlush();
        }
    }

    private boolean flushEarly() {
        boolean much = unflushedBytes >= EARLY_FLUSH_BYTES;
        if (much) {
            connection.flush(ctx());
        }
        return much;
    }

    /** Sees to it that what is queued leaves by the end of the turn. */
    void requestFlush() {
        if (!reading && !flushQueued) {
            flushQueued = true;
            connection.loop().execute(flushTask);
        }
    }

    private void flushQueued() {
        flushQueued = false;
        beginTurn();
        connection.flush(ctx());
    }

    /** Before everything queued is written: returns the connection's window, for {@link #flushed}. */
    int flushBegins() {
        unflushedBytes = 0;
        return window();
    }

    void flushed(int windowBefore) {
        if (window() < windowBefore) {
            pingRule.forgive(); // a large answer leaves in many turns, and clients measure it with pings
        }
        if (turns.needsTurn() && !turnQueued) {
            turnQueued = true;
            connection.afterOtherWork(turnTask);
        }
    }

    private int window() {
        var windows = encoder().flowController();
        return windows.windowSize(connection.connection().connectionStream());
    }

    private void nextTurn() {
        turnQueued = false;
        turns.beginTurn();
        connection.flush(ctx());
    }

    private void beginTurn() {
        if (!turnQueued) {
            turns.beginTurn();
        }
    }
}

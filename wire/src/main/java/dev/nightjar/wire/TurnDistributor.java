/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.wire;

import io.netty.handler.codec.http2.Http2Connection;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Stream;
import io.netty.handler.codec.http2.StreamByteDistributor;
import io.netty.handler.codec.http2.UniformStreamByteDistributor;
import org.jspecify.annotations.Nullable;

/**
 * Shares a connection's bytes among its streams, and the loop's time among its connections; owned by the loop.
 *
 * <p>Streams take turns of {@link #STREAM_TURN_BYTES}. A whole connection writes {@link #CONNECTION_TURN_BYTES} before
 * the loop goes on: a client that reads as fast as we write would otherwise keep the loop busy with one large answer, and
 * requests that came meanwhile, even its own, would wait for the end of it.
 */
final class TurnDistributor implements StreamByteDistributor {

    /** What a stream may write before the next one's turn: one frame. */
    static final int STREAM_TURN_BYTES = 16 * 1024;

    /** What a connection may write before the loop's other work: a few hundred microseconds. */
    static final int CONNECTION_TURN_BYTES = 512 * 1024;

    private final UniformStreamByteDistributor streams;
    private int leftBytes = CONNECTION_TURN_BYTES;
    private boolean pending;
    private @Nullable Writer target;
    private final Writer counting = this::writeCounted;

    TurnDistributor(Http2Connection connection) {
        streams = new UniformStreamByteDistributor(connection);
        streams.minAllocationChunk(STREAM_TURN_BYTES);
    }

    /** Begins the connection's next turn. */
    void beginTurn() {
        leftBytes = CONNECTION_TURN_BYTES;
        pending = false;
    }

    /** Whether the turn ended with something left to write, such that another turn must follow. */
    boolean needsTurn() {
        return pending;
    }

    @Override
    public void updateStreamableBytes(StreamState state) {
        streams.updateStreamableBytes(state);
    }

    @Override
    public void updateDependencyTree(int childStreamId, int parentStreamId, short weight, boolean exclusive) {
        streams.updateDependencyTree(childStreamId, parentStreamId, weight, exclusive);
    }

    @Override
    public boolean distribute(int maxBytes, Writer writer) throws Http2Exception {
        if (leftBytes <= 0) {
            pending = true;
            return false;
        }
        target = writer;
        boolean more = streams.distribute(Math.min(maxBytes, leftBytes), counting);
        if (leftBytes <= 0) {
            pending = true;
            return false;
        }
        return more;
    }

    private void writeCounted(Http2Stream stream, int bytes) {
        leftBytes -= bytes;
        Writer current = target;
        if (current != null) {
            current.write(stream, bytes);
        }
    }
}

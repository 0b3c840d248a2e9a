/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.wire;

import io.netty.buffer.ByteBuf;

/** What hangs on an HTTP/2 stream and takes its events; all on the connection's loop. */
sealed interface StreamOwner permits GrpcCall, Http2Request {

    /**
     * Bytes came in; borrowed.
     *
     * @return bytes to give back to the client's window now; may count bytes held back earlier
     */
    int onData(ByteBuf data, boolean endOfStream);

    /** The client sends no more, said without bytes. */
    void onHalfClose();

    /** The stream is over, by whatever reason. Called once, last. */
    void onStreamClosed();

    /** Window, queue or socket have changed such that more bytes may be welcome. */
    void onMaybeWritable();

    /** Bytes of a send have left for the socket, or were dropped. */
    void onSent(int bytes);
}

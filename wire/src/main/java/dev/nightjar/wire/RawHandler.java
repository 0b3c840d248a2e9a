/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.wire;

import io.netty.handler.codec.http2.Http2Headers;

/** Serves the calls of one method at the level of bytes. */
@FunctionalInterface
public interface RawHandler {

    /**
     * A call has begun; on its loop.
     *
     * @param headers the request headers, as sent; only valid during this method
     */
    RawCall.Listener start(RawCall call, Http2Headers headers);
}

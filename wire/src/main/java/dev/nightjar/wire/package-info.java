/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
/**
 * One port for HTTP/2, gRPC and HTTP/1.1. Purpose: turn connections into calls and calls into bytes, with flow control
 * in both directions; knows nothing of keys. Each connection and call is owned by its event loop. Start reading at
 * {@link dev.nightjar.wire.WireServer}.
 */
@org.jspecify.annotations.NullMarked
package dev.nightjar.wire;

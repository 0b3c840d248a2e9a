/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.wire;

/** Serves whatever on the port is not gRPC. */
@FunctionalInterface
public interface HttpHandler {

    /** A whole request has arrived; on its connection's loop. {@link HttpExchange#respond} may follow later. */
    void handle(HttpExchange exchange);
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.wire;

import java.util.List;
import java.util.Map;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/** One HTTP request and its answer. {@link #respond} may be called on any thread, once. */
public interface HttpExchange {

    String method();

    /** The path, decoded, without query. */
    String path();

    /** The query's parameters, decoded. */
    Map<String, List<String>> query();

    /** A request header's first value. */
    @Nullable
    String header(String name);

    byte[] body();

    /** The TLS session, whose peer certificates name the client; null in plaintext. */
    default @Nullable SSLSession tlsSession() {
        return null;
    }

    /** Answers. {@code headers} come besides content-type and content-length. */
    void respond(int status, String contentType, byte[] body, Map<String, String> headers);
}

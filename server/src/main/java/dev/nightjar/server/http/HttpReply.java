/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.http;

import dev.nightjar.wire.HttpExchange;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/**
 * An answer before it is sent. An immutable value.
 *
 * @param status the status code
 * @param contentType the body's media type
 * @param body the body
 * @param headers further headers
 */
record HttpReply(int status, String contentType, byte[] body, Map<String, String> headers) {
    static final String PLAIN = "text/plain; charset=utf-8";

    /** What etcd lets pages of every origin do. */
    private static final Map<String, String> CROSS_ORIGIN = Map.of(
            "Access-Control-Allow-Methods", "POST, GET, OPTIONS, PUT, DELETE",
            "Access-Control-Allow-Origin", "*",
            "Access-Control-Allow-Headers", "accept, content-type, authorization");

    static HttpReply text(int status, String body) {
        return new HttpReply(status, PLAIN, bytes(body), Map.of());
    }

    /** A plain answer that a browser is not to take for anything else. */
    static HttpReply error(int status, String body) {
        return new HttpReply(status, PLAIN, bytes(body + "\n"), Map.of("X-Content-Type-Options", "nosniff"));
    }

    /** The answer to a method other than the one that is allowed. */
    static HttpReply notAllowed(String allowed) {
        return error(405, "Method Not Allowed").with("Allow", allowed);
    }

    static HttpReply json(String body) {
        return new HttpReply(200, "application/json", bytes(body), Map.of());
    }

    static HttpReply empty() {
        return text(200, "");
    }

    HttpReply with(String header, String value) {
        Map<String, String> more = new HashMap<>(headers);
        more.put(header, value);
        return new HttpReply(status, contentType, body, Map.copyOf(more));
    }

    void send(HttpExchange exchange) {
        Map<String, String> all = new HashMap<>(CROSS_ORIGIN);
        all.putAll(headers);
        exchange.respond(status, contentType, body, all);
    }

    /** Without what is for browsers. */
    void sendToMember(HttpExchange exchange) {
        exchange.respond(status, contentType, body, headers);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nightjar.wire.HttpExchange;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A request without a connection; keeps what is answered, and that only one answer comes. Used by one thread. */
final class Answer implements HttpExchange {
    private final String method;
    private final URI target;
    private final Map<String, String> requestHeaders = new HashMap<>();
    private int status;
    private String contentType = "";
    private byte[] body = new byte[0];
    private Map<String, String> headers = Map.of();

    Answer(String method, String target) {
        this.method = method;
        this.target = URI.create(target);
    }

    void requestHeader(String name, String value) {
        requestHeaders.put(name, value);
    }

    @Override
    public String method() {
        return method;
    }

    @Override
    public String path() {
        return target.getPath();
    }

    @Override
    public Map<String, List<String>> query() {
        Map<String, List<String>> query = new HashMap<>();
        String text = target.getQuery();
        if (text != null) {
            for (String part : text.split("&", -1)) {
                int equals = part.indexOf('=');
                query.computeIfAbsent(equals < 0 ? part : part.substring(0, equals), _ -> new ArrayList<>())
                        .add(equals < 0 ? "" : part.substring(equals + 1));
            }
        }
        return query;
    }

    @Override
    public @Nullable String header(String name) {
        return requestHeaders.get(name);
    }

    @Override
    public byte[] body() {
        return body;
    }

    @Override
    public void respond(int status, String contentType, byte[] body, Map<String, String> headers) {
        assertThat(sent()).as("answered twice").isFalse();
        this.status = status;
        this.contentType = contentType;
        this.body = body;
        this.headers = headers;
    }

    boolean sent() {
        return status != 0;
    }

    int status() {
        return status;
    }

    String contentType() {
        return contentType;
    }

    Map<String, String> headers() {
        return headers;
    }

    String text() {
        return new String(body, StandardCharsets.UTF_8);
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.driver;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;

/** Plain HTTP requests to the client port of a server; any thread. */
public final class ServerHttp {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private ServerHttp() {}

    public static HttpResponse<String> get(ServerUnderTest server, String path) {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://" + server.endpoint() + path))
                .timeout(LIMIT)
                .build();
        try (HttpClient client = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(LIMIT)
                .build()) {
            return client.send(request, HttpResponse.BodyHandlers.ofString());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while waiting for " + path, e);
        }
    }

    /** The value of a metric without labels. */
    public static double metric(ServerUnderTest server, String name) {
        return get(server, "/metrics")
                .body()
                .lines()
                .filter(line -> line.startsWith(name + " "))
                .mapToDouble(line -> Double.parseDouble(line.substring(name.length() + 1)))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no metric " + name));
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.http;

import dev.nightjar.server.observe.Metrics;
import dev.nightjar.wire.HttpExchange;
import dev.nightjar.wire.HttpHandler;
import java.util.concurrent.Executor;

/**
 * Finds the page for a request and answers. Called on event loops; a scrape asks every part of the server and takes a
 * while, so it is made on the executor. Has no state of its own.
 */
public final class HttpFrontend implements HttpHandler {
    private final HealthSource source;
    private final HealthPage health;
    private final CheckPages checks;
    private final MetricsPage metrics;
    private final Executor executor;

    /**
     * @param source the server
     * @param metrics what {@code /metrics} shows and where health checks are counted
     * @param executor where scrapes run; may refuse, which is answered with 503
     */
    public HttpFrontend(HealthSource source, Metrics metrics, Executor executor) {
        this.source = source;
        this.health = new HealthPage(source, metrics);
        this.checks = new CheckPages(source, metrics);
        this.metrics = new MetricsPage(metrics);
        this.executor = executor;
    }

    @Override
    public void handle(HttpExchange exchange) {
        if (exchange.method().equals("OPTIONS")) {
            HttpReply.empty().send(exchange);
            return;
        }
        switch (exchange.path()) {
            case "/metrics" -> metrics.serve(exchange, executor);
            case "/health" -> ifGet(exchange, health::serve);
            case "/version" -> ifGet(exchange, this::version);
            default -> {
                if (checks.knows(exchange.path())) {
                    ifGet(exchange, checks::serve);
                } else {
                    HttpReply.error(404, "404 page not found").send(exchange);
                }
            }
        }
    }

    private static void ifGet(HttpExchange exchange, HttpHandler page) {
        if (exchange.method().equals("GET")) {
            page.handle(exchange);
        } else {
            HttpReply.notAllowed("GET").send(exchange);
        }
    }

    private void version(HttpExchange exchange) {
        VersionPage.of(source.clusterVersion()).send(exchange);
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.http;

import dev.nightjar.server.observe.Metrics;
import dev.nightjar.wire.HttpExchange;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * {@code /health}: one word on whether clients are served. Runs on event loops, answers on whichever thread knows.
 *
 * <p>Alarms are looked at first, then whether there is a leader, then one read is made. {@code exclude=NOSPACE} overlooks
 * an alarm; {@code serializable=true} overlooks a missing leader and reads locally.
 */
final class HealthPage {
    private static final Logger LOG = LoggerFactory.getLogger(HealthPage.class);
    private static final Set<String> ALARMS = Set.of("NOSPACE", "CORRUPT");

    private final HealthSource source;
    private final Metrics metrics;

    HealthPage(HealthSource source, Metrics metrics) {
        this.source = source;
        this.metrics = metrics;
    }

    void serve(HttpExchange exchange) {
        boolean serializable = exchange.query()
                .getOrDefault("serializable", List.of(""))
                .getFirst()
                .equals("true");
        String reason = alarm(exchange.query().getOrDefault("exclude", List.of()));
        if (reason == null && !serializable && !source.leaderKnown()) {
            reason = "RAFT NO LEADER";
        }
        if (reason != null) {
            unhealthy(exchange, reason);
            return;
        }
        CompletableFuture<@Nullable String> read = serializable ? source.serializableRead() : source.linearizableRead();
        var _ = read.whenComplete((error, failure) -> {
            if (failure != null) {
                unhealthy(exchange, "RANGE ERROR:" + failure);
            } else if (error != null) {
                unhealthy(exchange, "RANGE ERROR:" + error);
            } else {
                metrics.healthSuccess.inc();
                HttpReply.text(200, "{\"health\":\"true\",\"reason\":\"\"}").send(exchange);
            }
        });
    }

    private @Nullable String alarm(List<String> excluded) {
        for (String alarm : source.alarms()) {
            if (!excluded.contains(alarm)) {
                return "ALARM " + (ALARMS.contains(alarm) ? alarm : "UNKNOWN");
            }
        }
        return null;
    }

    private void unhealthy(HttpExchange exchange, String reason) {
        metrics.healthFailures.inc();
        LOG.atWarn()
                .addKeyValue("output", reason)
                .addKeyValue("status-code", 503)
                .log("/health error");
        HttpReply.error(503, "{\"health\":\"false\",\"reason\":\"" + escape(reason) + "\"}")
                .send(exchange);
    }

    private static String escape(String text) {
        return text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
    }
}

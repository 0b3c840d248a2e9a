/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.http;

import dev.nightjar.server.observe.Metrics;
import dev.nightjar.wire.HttpExchange;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** {@code /metrics}: Prometheus text, compressed for who accepts that. Runs on the executor that is handed in. */
final class MetricsPage {
    private static final Logger LOG = LoggerFactory.getLogger(MetricsPage.class);

    private final Metrics metrics;

    MetricsPage(Metrics metrics) {
        this.metrics = metrics;
    }

    void serve(HttpExchange exchange, Executor executor) {
        try {
            executor.execute(() -> scrape(exchange));
        } catch (RejectedExecutionException e) {
            metrics.scraped(503);
            HttpReply.error(503, "too many scrapes wait, or the server is shutting down")
                    .send(exchange);
        }
    }

    private void scrape(HttpExchange exchange) {
        metrics.scrapesInFlight.inc();
        HttpReply reply;
        try {
            reply = page(exchange.header("accept-encoding"));
        } catch (RuntimeException e) {
            LOG.atError().setCause(e).log("failed to collect metrics");
            reply = HttpReply.error(500, "failed to collect metrics: " + e.getMessage());
        } finally {
            metrics.scrapesInFlight.dec();
        }
        metrics.scraped(reply.status());
        reply.send(exchange);
    }

    private HttpReply page(@Nullable String accepted) {
        byte[] text = metrics.text().getBytes(StandardCharsets.UTF_8);
        HttpReply reply = new HttpReply(200, Metrics.CONTENT_TYPE, text, Map.of());
        return accepted != null && acceptsGzip(accepted)
                ? new HttpReply(200, Metrics.CONTENT_TYPE, gzip(text), Map.of("Content-Encoding", "gzip"))
                : reply;
    }

    /** Whether the list names gzip, other than with the quality zero. */
    static boolean acceptsGzip(String accepted) {
        for (String part : accepted.split(",", -1)) {
            String coding = part.strip();
            if (coding.equals("gzip") || coding.startsWith("gzip;")) {
                return !coding.replace(" ", "").matches("gzip;q=0(\\.0*)?");
            }
        }
        return false;
    }

    private static byte[] gzip(byte[] text) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(text.length / 8);
        try (GZIPOutputStream out = new GZIPOutputStream(bytes)) {
            out.write(text);
        } catch (IOException e) {
            throw new UncheckedIOException(e); // memory does not fail
        }
        return bytes.toByteArray();
    }
}

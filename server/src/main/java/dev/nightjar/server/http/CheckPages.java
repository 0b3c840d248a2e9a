/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.http;

import dev.nightjar.server.observe.Metrics;
import dev.nightjar.wire.HttpExchange;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * {@code /livez}, {@code /readyz} and their single checks, {@code /readyz/non_learner} for example: whether to restart
 * this member and whether to send it clients. Runs on event loops, answers on whichever thread knows the last result.
 *
 * <p>{@code exclude=name} leaves a check out, {@code verbose} lists the results. A failure always lists them.
 */
final class CheckPages {
    private static final Logger LOG = LoggerFactory.getLogger(CheckPages.class);
    private static final CompletableFuture<@Nullable String> PASSED = CompletableFuture.completedFuture(null);

    private final Metrics metrics;
    private final List<Page> pages;

    CheckPages(HealthSource source, Metrics metrics) {
        this.metrics = metrics;
        Check corruption = new Check(
                "data_corruption",
                () -> source.alarms().contains("CORRUPT") ? failed("alarm activated: CORRUPT") : PASSED);
        Check local = new Check("serializable_read", source::serializableRead);
        Check quorum = new Check("linearizable_read", source::linearizableRead);
        Check voter = new Check("non_learner", () -> source.learner() ? failed("not supported for learner") : PASSED);
        this.pages = List.of(
                new Page("livez", List.of(local)), new Page("readyz", List.of(corruption, local, quorum, voter)));
    }

    /** Whether {@code path} is one of ours. */
    boolean knows(String path) {
        return find(path) != null;
    }

    void serve(HttpExchange exchange) {
        Page page = find(exchange.path());
        if (page == null) {
            throw new IllegalArgumentException(exchange.path());
        }
        List<String> excluded = exchange.query().getOrDefault("exclude", List.of());
        for (String name : excluded) {
            if (page.checks.stream().noneMatch(check -> check.name.equals(name))) {
                LOG.atWarn().addKeyValue("check", name).log("some health checks cannot be excluded");
            }
        }
        List<CompletableFuture<Result>> results = new ArrayList<>();
        for (Check check : page.checks) {
            if (!excluded.contains(check.name)) {
                results.add(check.run
                        .start()
                        .handle((error, failure) ->
                                new Result(check.name, failure == null ? error : failure.toString())));
            }
        }
        // No result is exceptional, so the answer always follows.
        var _ = CompletableFuture.allOf(results.toArray(CompletableFuture[]::new))
                .thenRun(() -> answer(
                        exchange,
                        page,
                        results.stream().map(CompletableFuture::join).toList()));
    }

    private void answer(HttpExchange exchange, Page page, List<Result> results) {
        StringBuilder lines = new StringBuilder();
        boolean healthy = true;
        for (Result result : results) {
            metrics.healthCheck(page.name, result.check, result.error == null);
            healthy &= result.error == null;
            lines.append(
                    result.error == null
                            ? "[+]" + result.check + " ok\n"
                            : "[-]" + result.check + " failed: " + result.error + "\n");
        }
        if (!healthy) {
            LOG.atError()
                    .addKeyValue("path", exchange.path())
                    .addKeyValue("reason", lines)
                    .addKeyValue("status-code", 503)
                    .log("Health check error");
            HttpReply.error(503, lines.toString()).send(exchange);
            return;
        }
        String details = exchange.query().containsKey("verbose") ? lines.toString() : "";
        HttpReply.text(200, details + "ok\n")
                .with("X-Content-Type-Options", "nosniff")
                .send(exchange);
    }

    /** The page of a path; one with a single check for a path below. */
    private @Nullable Page find(String path) {
        for (Page page : pages) {
            if (path.equals("/" + page.name)) {
                return page;
            }
            for (Check check : page.checks) {
                if (path.equals("/" + page.name + "/" + check.name)) {
                    return new Page(page.name, List.of(check));
                }
            }
        }
        return null;
    }

    private static CompletableFuture<@Nullable String> failed(String error) {
        return CompletableFuture.completedFuture(error);
    }

    private record Page(String name, List<Check> checks) {}

    private record Check(String name, Run run) {}

    private record Result(String check, @Nullable String error) {}

    /** Begins a check; completes with null or the error's text. */
    @FunctionalInterface
    private interface Run {
        CompletableFuture<@Nullable String> start();
    }
}

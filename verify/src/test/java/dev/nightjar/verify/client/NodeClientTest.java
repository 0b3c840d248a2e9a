/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.client;

import dev.nightjar.verify.driver.Commands;
import dev.nightjar.verify.driver.FreshServer;
import dev.nightjar.verify.driver.OnEveryServer;
import dev.nightjar.verify.driver.ServerKind;
import dev.nightjar.verify.driver.ToolCache;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The npm package etcd3, a client for Node. */
@OnEveryServer
@Tag("node")
@Timeout(value = 15, unit = TimeUnit.MINUTES)
class NodeClientTest {
    private static final List<String> LOCK = List.of("package.json", "package-lock.json");

    @RegisterExtension
    final FreshServer fresh;

    NodeClientTest(ServerKind kind) {
        fresh = new FreshServer(kind);
    }

    @Test
    void etcd3_works_unchanged() {
        Path source = ToolCache.clients().resolve("node");
        Path modules = ToolCache.get(
                        "node-client", LOCK.stream().map(source::resolve).toList(), target -> install(source, target))
                .resolve("node_modules");
        Commands.Result result = Commands.attempt(
                source,
                Duration.ofMinutes(2),
                List.of("node", "main.cjs", fresh.server().endpoint()),
                Map.of("NODE_PATH", modules.toString()));
        ClientSteps.assertAllOk(
                result,
                "put-get",
                "get-options",
                "delete",
                "txn",
                "watch-now",
                "watch-revision",
                "watch-prefix",
                "watch-prev-kv",
                "watch-filter",
                "watch-cancel",
                "compaction");
    }

    private static void install(Path source, Path target) {
        try {
            for (String file : LOCK) {
                Files.copy(source.resolve(file), target.resolve(file));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        var _ = Commands.run(
                target,
                Duration.ofMinutes(10),
                List.of("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"));
    }
}

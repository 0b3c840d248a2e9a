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
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** clientv3, the client of the etcd project and of Kubernetes. */
@OnEveryServer
@Tag("go")
@Timeout(value = 15, unit = TimeUnit.MINUTES)
class GoClientTest {
    @RegisterExtension
    final FreshServer fresh;

    GoClientTest(ServerKind kind) {
        fresh = new FreshServer(kind);
    }

    @Test
    void clientv3_works_unchanged() {
        Path source = ToolCache.clients().resolve("go");
        Path program = ToolCache.get(
                        "go-client",
                        List.of(source.resolve("go.sum"), source.resolve("main.go")),
                        target -> Commands.run(
                                source,
                                Duration.ofMinutes(10),
                                List.of(
                                        "go",
                                        "build",
                                        "-o",
                                        target.resolve("client").toString(),
                                        ".")))
                .resolve("client");
        Commands.Result result = Commands.attempt(
                source,
                Duration.ofMinutes(2),
                List.of(program.toString(), fresh.server().endpoint()),
                Map.of());
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
                "watch-cancel",
                "watch-progress",
                "watch-fragment",
                "compaction",
                "status");
    }
}

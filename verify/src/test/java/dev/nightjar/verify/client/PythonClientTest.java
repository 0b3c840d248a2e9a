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

/** aetcd, an asynchronous client for Python. */
@OnEveryServer
@Tag("python")
@Timeout(value = 15, unit = TimeUnit.MINUTES)
class PythonClientTest {
    @RegisterExtension
    final FreshServer fresh;

    PythonClientTest(ServerKind kind) {
        fresh = new FreshServer(kind);
    }

    @Test
    void aetcd_works_unchanged() {
        Path source = ToolCache.clients().resolve("python");
        Path lock = source.resolve("requirements.txt");
        Path packages = ToolCache.get(
                "python-client",
                List.of(lock),
                target -> Commands.run(
                        source,
                        Duration.ofMinutes(10),
                        List.of(
                                "python3",
                                "-m",
                                "pip",
                                "install",
                                "--quiet",
                                "--no-deps",
                                "--target",
                                target.toString(),
                                "--requirement",
                                lock.toString())));
        Commands.Result result = Commands.attempt(
                source,
                Duration.ofMinutes(2),
                List.of("python3", "main.py", fresh.server().endpoint()),
                Map.of("PYTHONPATH", packages.toString(), "PYTHONDONTWRITEBYTECODE", "1"));
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
                "compaction",
                "status");
    }
}

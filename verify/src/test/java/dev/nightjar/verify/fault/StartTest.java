/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.fault;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nightjar.verify.driver.ApiClient;
import dev.nightjar.verify.driver.FreshServer;
import dev.nightjar.verify.driver.OnEveryServer;
import dev.nightjar.verify.driver.ServerKind;
import dev.nightjar.verify.driver.ServerUnderTest;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** How long it takes from the start of the process to the first put that is answered. */
@OnEveryServer
class StartTest {
    private static final Logger LOG = LoggerFactory.getLogger(StartTest.class);
    private static final int STARTS = 5;

    /** Many times what it takes, since the machine may be busy with other things; the log has the figures. */
    private static final Duration BOUND = Duration.ofSeconds(20);

    private final ServerKind kind;

    StartTest(ServerKind kind) {
        this.kind = kind;
    }

    @Test
    void an_empty_directory_is_soon_served() throws IOException {
        List<Long> millis = new ArrayList<>();
        for (int i = 0; i < STARTS; i++) {
            Path directory = FreshServer.newDirectory();
            try (ServerUnderTest server = kind.on(directory, List.of())) {
                millis.add(timeToFirstPut(server).toMillis());
            }
            FreshServer.deleteTree(directory);
        }
        LOG.info("{}: from start to the first answered put: {} ms", kind, millis);
        Collections.sort(millis);
        assertThat(millis.get(STARTS / 2)).as("the start in the middle").isLessThan(BOUND.toMillis());
    }

    @Test
    void a_restarted_server_says_that_it_is_ready_when_it_is() throws IOException {
        Path directory = FreshServer.newDirectory();
        try (ServerUnderTest server = kind.on(directory, List.of())) {
            server.start();
            try (ApiClient api = new ApiClient(server.endpoint())) {
                assertThat(api.put("k", "1")).isEqualTo(2);
            }
            server.terminate();
            server.start();
            try (ApiClient api = new ApiClient(server.endpoint())) {
                assertThat(api.put("k", "2")).isEqualTo(3);
            }
        }
        FreshServer.deleteTree(directory);
    }

    private static Duration timeToFirstPut(ServerUnderTest server) {
        long begin = System.nanoTime();
        server.launch();
        server.output().await(ServerUnderTest.READY, ServerUnderTest.START_LIMIT);
        try (ApiClient api = new ApiClient(server.endpoint())) {
            assertThat(api.put("k", "v")).isEqualTo(2);
        }
        return Duration.ofNanos(System.nanoTime() - begin);
    }
}

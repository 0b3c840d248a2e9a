/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.nightjar.verify.driver.FreshServer;
import dev.nightjar.verify.driver.OnEveryServer;
import dev.nightjar.verify.driver.ServerKind;
import dev.nightjar.verify.driver.ServerUnderTest;
import dev.nightjar.verify.driver.ServerUnderTest.Collision;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Starts that must fail: soon, with the right exit code, and with words that say what is wrong. */
@OnEveryServer
class BadStartTest {
    private final ServerKind kind;
    private final Path directory = FreshServer.newDirectory();

    BadStartTest(ServerKind kind) throws IOException {
        this.kind = kind;
    }

    @AfterEach
    void deleteDirectory() {
        FreshServer.deleteTree(directory);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\0',
            value = {
                "--no-such-flag=1 | 2 | flag provided but not defined: -no-such-flag",
                "--election-timeout=soon | 2 | invalid value \"soon\" for flag -election-timeout",
                "--listen-client-urls=ftp://127.0.0.1:1 | 2 | URL scheme must be http, https, unix, or unixs",
                "--listen-client-urls=http://127.0.0.1 | 2 | URL address does not have the form \"host:port\"",
                "--initial-cluster-state=foo | 2 | invalid value \"foo\" for flag -initial-cluster-state: invalid value",
                "--log-level=silly | 2 | panic: unrecognized level: \"silly\"",
                "stray | 1 | \"stray\" is not a valid flag",
                "--heartbeat-interval=0 | 1 | --heartbeat-interval must be >0 (set to 0ms)",
                "--election-timeout=200 | 1 | --election-timeout[200ms] should be at least as 5 times as --heartbeat-interval[100ms]",
                "--election-timeout=60000 | 1 | --election-timeout[60000ms] is too long, and should be set less than 50000ms",
                "--listen-client-urls=http://example.com:2379 | 1 | expected IP in URL for binding (http://example.com:2379)",
                "--name=other | 1 | couldn't find local name \"other\" in the initial cluster configuration",
            })
    void a_wrong_command_line_is_refused(String argument, int exitCode, String words) {
        try (ServerUnderTest server = kind.on(directory, List.of(argument))) {
            assertFails(server, exitCode, words);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"CLIENT_PORT", "PEER_PORT"})
    void a_busy_port_is_named(Collision collision) {
        try (ServerUnderTest first = kind.on(directory.resolve("first"), List.of());
                ServerUnderTest second = kind.on(directory.resolve("second"), List.of())) {
            first.start();
            second.collideWith(first, collision);
            assertFails(second, 1, ": bind: address already in use");
        }
    }

    /** etcd waits for the other one to end, for ever. */
    @Test
    void a_data_directory_in_use_is_refused() {
        assumeTrue(kind == ServerKind.NIGHTJAR, "etcd waits for ever");
        try (ServerUnderTest first = kind.on(directory.resolve("first"), List.of());
                ServerUnderTest second = kind.on(directory.resolve("second"), List.of())) {
            first.start();
            second.collideWith(first, Collision.DATA_DIRECTORY);
            assertFails(second, 1, first.dataDirectory().toString());
            assertThat(first.isAlive()).isTrue();
        }
    }

    @Test
    void a_data_directory_that_is_a_file_is_refused() throws IOException {
        Files.writeString(directory.resolve("data"), "no directory");
        try (ServerUnderTest server = kind.on(directory, List.of())) {
            assertFails(server, 1, directory.resolve("data").toString());
        }
    }

    private static void assertFails(ServerUnderTest server, int exitCode, String words) {
        server.launch();
        int code = server.awaitExit(ServerUnderTest.START_LIMIT);
        // Lines of the log are JSON, in which quotes are escaped.
        String said =
                String.join("\n", server.output().lines()).replace("\\\"", "\"").replace("\\u003e", ">");
        assertThat(said).contains(words);
        assertThat(code).as(said).isEqualTo(exitCode);
    }
}

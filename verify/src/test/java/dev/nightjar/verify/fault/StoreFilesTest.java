/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.fault;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import dev.nightjar.verify.driver.ApiClient;
import dev.nightjar.verify.driver.Commands;
import dev.nightjar.verify.driver.FreshServer;
import dev.nightjar.verify.driver.NightjarProcess;
import dev.nightjar.verify.driver.ServerKind;
import dev.nightjar.verify.driver.ServerUnderTest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** {@code nightjar store} on the directory of a real server that was killed, stopped, and damaged. */
class StoreFilesTest {
    private static final Duration LIMIT = Duration.ofMinutes(2);
    private static final int KEYS = 200;
    private static final int ROUNDS = 4;

    private final Path directory = FreshServer.newDirectory();

    StoreFilesTest() throws IOException {}

    @AfterEach
    void deleteDirectory() {
        FreshServer.deleteTree(directory);
    }

    @Test
    void whole_after_a_kill_and_a_stop_and_damage_is_named() throws Exception {
        List<String> flags = List.of("--snapshot-count=300", "-Dnightjar.test.segment-bytes=65536");
        try (ServerUnderTest server = ServerKind.NIGHTJAR.on(directory, flags)) {
            server.start();
            write(server);
            server.output().await("saved index image", LIMIT);
            server.output().await("saved snapshot", LIMIT);
            Commands.Result inUse = store("verify", server);
            assertThat(inUse.exitCode()).isEqualTo(1);
            assertThat(inUse.errors()).contains("is used by another process");
            server.kill();
            assertWhole(server);

            server.start();
            write(server);
            assertThat(server.terminate()).isEqualTo(143);
            assertWhole(server);

            Path segment = largestSegment(server);
            byte[] content = Files.readAllBytes(segment);
            content[content.length / 2] ^= 0x10;
            Files.write(segment, content);
            assertDamaged(server, segment);
            content[content.length / 2] ^= 0x10;
            Files.write(segment, content);
            assertIncomplete(server);
            damageLog(server);
        }
    }

    /** As a copy that was made in part: a start would refuse it, so it is not whole. */
    private static void assertIncomplete(ServerUnderTest server) throws IOException {
        Path store = server.dataDirectory().resolve("store");
        Path aside = server.dataDirectory().resolveSibling("aside");
        Files.move(store, aside);
        Commands.Result verified = store("verify", server);
        assertThat(verified.exitCode()).as(verified.output()).isEqualTo(1);
        assertThat(verified.output())
                .contains("DAMAGED: " + store + ", offset 0: files are missing: it ends at entry 0");
        Files.move(aside, store);
    }

    private static void damageLog(ServerUnderTest server) throws IOException {
        try (Stream<Path> files = Files.list(server.dataDirectory().resolve("wal"))) {
            Path oldest = files.filter(file -> file.getFileName().toString().startsWith("log-"))
                    .sorted()
                    .findFirst()
                    .orElseThrow();
            byte[] content = Files.readAllBytes(oldest);
            content[100] ^= 0x10;
            Files.write(oldest, content);
            Commands.Result verified = store("verify", server);
            assertThat(verified.exitCode()).as(verified.output()).isEqualTo(1);
            assertThat(verified.output()).contains("DAMAGED: " + oldest + ", offset ");
        }
    }

    private static void write(ServerUnderTest server) {
        try (ApiClient api = new ApiClient(server.endpoint())) {
            long revision = 0;
            for (int i = 0; i < KEYS * ROUNDS; i++) {
                revision = api.put(
                        ByteString.copyFromUtf8("key " + i % KEYS), ByteString.copyFromUtf8("v".repeat(500) + i));
            }
            api.compact(revision - KEYS / 2);
        }
    }

    private static Commands.Result store(String command, ServerUnderTest server, String... more) {
        List<String> words = Stream.concat(
                        Stream.of("store", command, "--data-dir=" + server.dataDirectory()), Stream.of(more))
                .toList();
        return NightjarProcess.run(LIMIT, words.toArray(String[]::new));
    }

    private static void assertWhole(ServerUnderTest server) throws Exception {
        Map<Path, String> before = digests(server.dataDirectory());
        Commands.Result verified = store("verify", server);
        assertThat(verified.exitCode())
                .as(verified.output() + verified.errors())
                .isZero();
        assertThat(verified.output().lines()).last().isEqualTo("ok");
        assertThat(verified.output()).contains("index: the image of revision", "snapshots: 1", "snapshot_");
        Commands.Result figures = store("stat", server, "-w", "json");
        assertThat(figures.exitCode()).as(figures.errors()).isZero();
        assertThat(figures.output()).contains("\"keys\":" + KEYS + ",", "\"snapshots\":1}");
        assertThat(digests(server.dataDirectory())).isEqualTo(before);
    }

    private static void assertDamaged(ServerUnderTest server, Path segment) throws Exception {
        Map<Path, String> before = digests(server.dataDirectory());
        Commands.Result verified = store("verify", server);
        assertThat(verified.exitCode()).as(verified.output()).isEqualTo(1);
        assertThat(verified.output()).contains("DAMAGED: " + segment + ", offset ");
        Commands.Result figures = store("stat", server);
        assertThat(figures.exitCode()).isEqualTo(1);
        assertThat(figures.errors()).contains(segment + ", offset ");
        assertThat(digests(server.dataDirectory())).isEqualTo(before);
    }

    /** Of those that are part of the log: one that a packed file has replaced nobody reads. */
    private static Path largestSegment(ServerUnderTest server) {
        Path store = server.dataDirectory().resolve("store");
        return store("verify", server)
                .output()
                .lines()
                .filter(line -> line.startsWith("data-"))
                .map(line -> store.resolve(line.substring(0, line.indexOf(':'))))
                .max((left, right) ->
                        Long.compare(left.toFile().length(), right.toFile().length()))
                .orElseThrow();
    }

    private static Map<Path, String> digests(Path root) throws IOException, NoSuchAlgorithmException {
        Map<Path, String> digests = new TreeMap<>();
        try (Stream<Path> all = Files.walk(root)) {
            for (Path path : all.toList()) {
                String content = Files.isDirectory(path)
                        ? "a directory"
                        : HexFormat.of()
                                .formatHex(MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(path)));
                digests.put(path, content + " " + Files.getLastModifiedTime(path));
            }
        }
        return digests;
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.fault;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import dev.nightjar.verify.driver.ApiClient;
import dev.nightjar.verify.driver.Await;
import dev.nightjar.verify.driver.FreshServer;
import dev.nightjar.verify.driver.ServerKind;
import dev.nightjar.verify.driver.ServerUnderTest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A compaction gives room on the disk back, also if nobody writes any more. */
class DiskSpaceTest {
    private static final long MEBIBYTE = 1 << 20;
    private static final int VALUES = 3000;

    /** What a last snapshot and the newest segment of the store may hold, of 64 MiB each. */
    private static final long REST_BOUND = 130 * MEBIBYTE;

    private final Path directory = FreshServer.newDirectory();

    DiskSpaceTest() throws IOException {}

    @AfterEach
    void deleteDirectory() {
        FreshServer.deleteTree(directory);
    }

    @Test
    void neither_store_nor_snapshot_keeps_what_is_gone() throws Exception {
        try (ServerUnderTest server = ServerKind.NIGHTJAR.on(directory, List.of("--snapshot-count=500"))) {
            server.start();
            try (ApiClient api = new ApiClient(server.endpoint())) {
                ByteString value = ByteString.copyFrom(new byte[100_000]);
                var _ = api.hurry(VALUES, i -> ApiClient.putRequest("key", value));
                server.output().await("saved snapshot", Duration.ofMinutes(1));
                assertThat(bytes(server, "snap")).isGreaterThan(40 * MEBIBYTE);
                long revision = api.put("key", "small");
                assertThat(bytes(server, "snap") + bytes(server, "store")).isGreaterThan(2 * REST_BOUND);
                api.compact(revision);
                Await.until(
                        "room to be given back",
                        Duration.ofMinutes(1),
                        () -> bytes(server, "snap") + bytes(server, "store") < REST_BOUND);
            }
        }
    }

    private static long bytes(ServerUnderTest server, String part) {
        try (Stream<Path> files = Files.walk(server.dataDirectory().resolve(part))) {
            return files.filter(Files::isRegularFile)
                    .mapToLong(DiskSpaceTest::size)
                    .sum();
        } catch (IOException | UncheckedIOException e) {
            return Long.MAX_VALUE / 4; // removed while it was looked at: look again
        }
    }

    private static long size(Path file) {
        try {
            return Files.size(file);
        } catch (NoSuchFileException e) {
            return 0;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

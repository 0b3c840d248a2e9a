/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.protobuf.ByteString;
import dev.nightjar.api.etcdserverpb.PutRequest;
import dev.nightjar.api.etcdserverpb.RangeRequest;
import dev.nightjar.api.etcdserverpb.RangeResponse;
import dev.nightjar.verify.driver.ApiClient;
import dev.nightjar.verify.driver.FreshServer;
import dev.nightjar.verify.driver.ServerKind;
import dev.nightjar.verify.driver.ServerUnderTest;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * One byte of Nightjar's own files is changed while the server is down. It may refuse to start, naming file and offset, or
 * serve; but no read may ever answer with what was not written.
 */
class DamagedFileTest {
    private static final int KEYS = 2_000;
    private static final int VALUE = 1_000;

    private final Path directory = FreshServer.newDirectory();

    DamagedFileTest() throws IOException {}

    @BeforeEach
    void onlyOnNightjar() {
        assumeTrue(ServerKind.selected().contains(ServerKind.NIGHTJAR), "these are Nightjar's own files");
    }

    @AfterEach
    void deleteDirectory() {
        FreshServer.deleteTree(directory);
    }

    @Test
    void a_damaged_record_in_mid_log_stops_the_start() throws IOException {
        try (ServerUnderTest server = ServerKind.NIGHTJAR.on(directory, List.of())) {
            write(server);
            server.kill();
            Path log = largest(server.dataDirectory().resolve("wal"));
            flip(log, dataEnd(log) / 2);
            server.launch();
            assertThat(server.awaitExit(ServerUnderTest.START_LIMIT)).isEqualTo(1);
            assertThat(String.join("\n", server.output().lines()))
                    .contains(log.getFileName().toString())
                    .contains("offset");
        }
    }

    @Test
    void a_lost_vote_stops_the_start() throws IOException {
        try (ServerUnderTest server = ServerKind.NIGHTJAR.on(directory, List.of())) {
            write(server);
            server.kill();
            Path vote = server.dataDirectory().resolve("snap").resolve("vote");
            Files.delete(vote);
            server.launch();
            assertThat(server.awaitExit(ServerUnderTest.START_LIMIT)).isEqualTo(1);
            assertThat(String.join("\n", server.output().lines())).contains(vote + " is missing");
        }
    }

    @Test
    void a_torn_end_of_the_log_is_cut_off() throws IOException {
        try (ServerUnderTest server = ServerKind.NIGHTJAR.on(directory, List.of())) {
            write(server);
            server.kill();
            Path log = newest(server.dataDirectory().resolve("wal"));
            try (FileChannel channel = FileChannel.open(log, StandardOpenOption.WRITE)) {
                channel.write(ByteBuffer.wrap(new byte[] {1, 2, 3, 4, 5, 6, 7}), dataEnd(log));
            }
            server.start();
            assertReadsAreRight(server);
        }
    }

    @Test
    void a_damaged_record_of_the_store_is_never_served() throws IOException {
        try (ServerUnderTest server = ServerKind.NIGHTJAR.on(directory, List.of())) {
            write(server);
            var _ = server.terminate();
            Path segment = largest(server.dataDirectory().resolve("store"));
            flip(segment, dataEnd(segment) / 2);
            server.launch();
            try {
                server.output().await(ServerUnderTest.READY, ServerUnderTest.START_LIMIT);
            } catch (AssertionError refused) {
                assertThat(server.awaitExit(ServerUnderTest.START_LIMIT)).isEqualTo(1);
                assertThat(String.join("\n", server.output().lines()))
                        .contains(segment.getFileName().toString())
                        .contains("offset");
                return;
            }
            assertReadsAreRight(server);
        }
    }

    private static void write(ServerUnderTest server) {
        server.start();
        try (ApiClient api = new ApiClient(server.endpoint())) {
            var _ = api.hurry(
                    KEYS - 1,
                    i -> PutRequest.newBuilder()
                            .setKey(key(i))
                            .setValue(value(i))
                            .build());
            // By itself: of this value it is known that its last byte is not zero, and so not taken for room behind the
            // log.
            assertThat(api.put(key(KEYS - 1), value(KEYS - 1))).isEqualTo(KEYS + 1);
        }
    }

    private static ByteString key(int i) {
        return ByteString.copyFromUtf8("key %06d".formatted(i));
    }

    /** Bytes that no other value has and that do not compress. */
    private static ByteString value(int i) {
        byte[] bytes = new byte[VALUE];
        new SplittableRandom(i).nextBytes(bytes);
        return ByteString.copyFrom(bytes);
    }

    /** Every key must answer with its value or not at all. */
    private static void assertReadsAreRight(ServerUnderTest server) {
        int refused = 0;
        try (ApiClient api = new ApiClient(server.endpoint())) {
            for (int i = 0; i < KEYS; i++) {
                try {
                    RangeResponse response = api.kv()
                            .range(RangeRequest.newBuilder().setKey(key(i)).build());
                    assertThat(response.getKvsCount()).isEqualTo(1);
                    assertThat(response.getKvs(0).getValue()).isEqualTo(value(i));
                } catch (StatusRuntimeException e) {
                    refused++;
                }
            }
        }
        assertThat(refused).as("keys that cannot be read").isLessThan(KEYS / 2);
    }

    private static Path largest(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(Files::isRegularFile)
                    .max(Comparator.comparingLong(DamagedFileTest::dataEnd))
                    .orElseThrow();
        }
    }

    /** The file of the consensus log that is written: the names of all of them are in its order. */
    private static Path newest(Path wal) throws IOException {
        try (Stream<Path> files = Files.list(wal)) {
            return files.filter(path -> path.getFileName().toString().startsWith("log-"))
                    .max(Comparator.naturalOrder())
                    .orElseThrow();
        }
    }

    /** Where the data of a file ends that may have been made longer than it is full. */
    private static long dataEnd(Path file) {
        try {
            byte[] bytes = Files.readAllBytes(file);
            int end = bytes.length;
            while (end > 0 && bytes[end - 1] == 0) {
                end--;
            }
            return end;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void flip(Path file, long offset) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            ByteBuffer one = ByteBuffer.allocate(1);
            channel.read(one, offset);
            one.put(0, (byte) (one.get(0) ^ 0x40));
            one.flip();
            channel.write(one, offset);
        }
    }
}

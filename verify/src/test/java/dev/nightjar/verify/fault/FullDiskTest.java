/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.protobuf.ByteString;
import dev.nightjar.api.etcdserverpb.AlarmRequest;
import dev.nightjar.api.etcdserverpb.AlarmType;
import dev.nightjar.api.etcdserverpb.CompactionRequest;
import dev.nightjar.api.etcdserverpb.DefragmentRequest;
import dev.nightjar.api.etcdserverpb.DeleteRangeRequest;
import dev.nightjar.api.etcdserverpb.RangeRequest;
import dev.nightjar.api.mvccpb.KeyValue;
import dev.nightjar.verify.driver.ApiClient;
import dev.nightjar.verify.driver.Await;
import dev.nightjar.verify.driver.Commands;
import dev.nightjar.verify.driver.FreshServer;
import dev.nightjar.verify.driver.NightjarProcess;
import dev.nightjar.verify.driver.ServerKind;
import dev.nightjar.verify.driver.ServerUnderTest;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A disk that is really full, first by the server's own doing, then by a file of somebody else, and killed servers on it.
 * Linux and root only, as it mounts a small disk in memory; elsewhere it is left out.
 */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class FullDiskTest {
    private static final String DISK = "size=64m";
    private static final int VALUE = 100_000;
    private static final int MOST_KEYS = 1000;
    private static final int LEAST_KEYS = 50;
    private static final int KILLS = 2;
    private static final Duration LIMIT = Duration.ofSeconds(60);
    /** Removed files give their room back when the collector finds them, some rounds of the server's care later. */
    private static final Duration ROOM_LIMIT = Duration.ofMinutes(3);

    private static final String NO_SPACE = "RESOURCE_EXHAUSTED: etcdserver: mvcc: database space exceeded";

    private final Path directory = FreshServer.newDirectory();
    private final ServerUnderTest server = ServerKind.NIGHTJAR.on(directory, List.of());
    private final Path disk = server.dataDirectory();
    private final Map<ByteString, ByteString> acknowledged = new HashMap<>();

    FullDiskTest() throws IOException {}

    @BeforeEach
    void mount() throws IOException {
        assumeTrue(
                System.getProperty("os.name").equals("Linux")
                        && System.getProperty("user.name").equals("root"),
                "only root on Linux can mount a small disk");
        Files.createDirectories(disk);
        Commands.Result mounted = Commands.attempt(
                directory, LIMIT, List.of("mount", "-t", "tmpfs", "-o", DISK, "tmpfs", disk + ""), Map.of());
        assumeTrue(mounted.exitCode() == 0, "cannot mount a small disk: " + mounted.errors());
    }

    @AfterEach
    void unmount() {
        server.close();
        if (Files.isDirectory(disk)) {
            var _ = Commands.attempt(directory, LIMIT, List.of("umount", disk + ""), Map.of());
        }
        FreshServer.deleteTree(directory);
    }

    @Test
    void a_full_disk_refuses_puts_loses_nothing_and_comes_back() throws IOException {
        server.start();
        try (ApiClient api = new ApiClient(server.endpoint())) {
            fill(api);
            assertHolds(api);
        }
        Path stranger = disk.resolve("stranger");
        for (int i = 0; i < KILLS; i++) {
            server.kill();
            takeAllOf(stranger);
            server.start();
            try (ApiClient api = new ApiClient(server.endpoint())) {
                assertThatThrownBy(() -> put(api, "one more")).hasMessage(NO_SPACE);
                assertHolds(api);
            }
        }
        try (ApiClient api = new ApiClient(server.endpoint())) {
            empty(api);
            assertHolds(api);
            Files.delete(stranger);
            Await.until("a put that is taken", ROOM_LIMIT, () -> isTaken(api));
            assertHolds(api);
        }
        server.kill();
        Commands.Result verified = NightjarProcess.run(LIMIT, "store", "verify", "--data-dir=" + disk);
        assertThat(verified.exitCode()).as(verified.output()).isZero();
        server.start();
        try (ApiClient api = new ApiClient(server.endpoint())) {
            assertHolds(api);
        }
        assertThat(server.terminate()).isEqualTo(143);
    }

    private void fill(ApiClient api) {
        try {
            for (int i = 0; i < MOST_KEYS; i++) {
                put(api, "%d/%d".formatted(i % 4, i));
            }
            throw new AssertionError("the disk took " + MOST_KEYS + " values");
        } catch (StatusRuntimeException e) {
            assertThat(e).hasMessage(NO_SPACE);
        }
        assertThat(acknowledged).hasSizeGreaterThan(LEAST_KEYS);
    }

    private void put(ApiClient api, String name) {
        ByteString key = ByteString.copyFromUtf8(name);
        byte[] value = new byte[VALUE];
        Arrays.fill(value, (byte) name.hashCode());
        ByteString bytes = key.concat(ByteString.copyFrom(value));
        assertThat(api.put(key, bytes)).isPositive();
        acknowledged.put(key, bytes);
    }

    private void assertHolds(ApiClient api) {
        RangeRequest all = RangeRequest.newBuilder()
                .setKey(ApiClient.ZERO)
                .setRangeEnd(ApiClient.ZERO)
                .build();
        Map<ByteString, ByteString> held = new HashMap<>();
        for (KeyValue each : api.kv().range(all).getKvsList()) {
            held.put(each.getKey(), each.getValue());
        }
        assertThat(held.keySet()).isEqualTo(acknowledged.keySet());
        assertThat(held.equals(acknowledged)).as("all values are what was put").isTrue();
    }

    private static void takeAllOf(Path file) {
        try (OutputStream out = Files.newOutputStream(file)) {
            byte[] some = new byte[1 << 16];
            while (file.toFile().length() < 1L << 40) {
                out.write(some);
            }
        } catch (IOException e) {
            assertThat(e).hasMessageContaining("No space left on device");
        }
    }

    /** What works on a full disk: three of four keys are deleted, their history is dropped, their room given back. */
    private void empty(ApiClient api) {
        DeleteRangeRequest most = DeleteRangeRequest.newBuilder()
                .setKey(ByteString.copyFromUtf8("1"))
                .setRangeEnd(ApiClient.ZERO)
                .build();
        long revision = api.kv().deleteRange(most).getHeader().getRevision();
        acknowledged.keySet().removeIf(key -> key.byteAt(0) != '0');
        CompactionRequest compaction = CompactionRequest.newBuilder()
                .setRevision(revision)
                .setPhysical(true)
                .build();
        assertThat(api.kv().compact(compaction).getHeader().getRevision()).isEqualTo(revision);
        var _ = api.maintenance().defragment(DefragmentRequest.getDefaultInstance());
    }

    private boolean isTaken(ApiClient api) {
        var _ = api.maintenance()
                .alarm(AlarmRequest.newBuilder()
                        .setAction(AlarmRequest.AlarmAction.DEACTIVATE)
                        .setAlarm(AlarmType.NOSPACE)
                        .setMemberID(member(api))
                        .build());
        try {
            put(api, "0/again");
            return true;
        } catch (StatusRuntimeException e) {
            assertThat(e).hasMessage(NO_SPACE);
            return false;
        }
    }

    private static long member(ApiClient api) {
        return api.maintenance()
                .alarm(AlarmRequest.getDefaultInstance())
                .getHeader()
                .getMemberId();
    }
}

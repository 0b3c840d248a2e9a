/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.compat;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import dev.nightjar.api.etcdserverpb.CompactionRequest;
import dev.nightjar.api.etcdserverpb.DefragmentRequest;
import dev.nightjar.api.etcdserverpb.DeleteRangeRequest;
import dev.nightjar.api.etcdserverpb.HashKVRequest;
import dev.nightjar.api.etcdserverpb.HashKVResponse;
import dev.nightjar.api.etcdserverpb.PutRequest;
import dev.nightjar.api.etcdserverpb.RequestOp;
import dev.nightjar.api.etcdserverpb.TxnRequest;
import dev.nightjar.verify.driver.ApiClient;
import dev.nightjar.verify.driver.FreshServer;
import dev.nightjar.verify.driver.Seeds;
import dev.nightjar.verify.driver.ServerKind;
import dev.nightjar.verify.driver.ServerUnderTest;
import io.grpc.StatusRuntimeException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The same random history on Nightjar and on a real etcd: both give the same hashes of it at all times. */
@Tag("go")
class HashKvTest {
    private static final int LIVES = 3;
    private static final int STEPS = 250;
    private static final int KEYS = 40;

    private final long seed = Seeds.seed();
    private final RandomGenerator random = Seeds.generator(seed, 1);
    private final String replay = Seeds.replay(HashKvTest.class, seed);
    private final List<ServerUnderTest> servers = new ArrayList<>();
    private final List<ApiClient> clients = new ArrayList<>();
    private Path directory;
    private long revision = 1;
    private long compacted = -1;

    @BeforeEach
    void start() throws Exception {
        directory = FreshServer.newDirectory();
        for (ServerKind kind : ServerKind.values()) {
            servers.add(kind.on(directory.resolve(kind.name()), List.of()));
        }
        startAll();
    }

    private void startAll() {
        servers.forEach(ServerUnderTest::start);
        servers.forEach(server -> clients.add(new ApiClient(server.endpoint())));
    }

    private void stopAll() {
        clients.forEach(ApiClient::close);
        clients.clear();
        servers.forEach(ServerUnderTest::terminate);
    }

    @AfterEach
    void stop() {
        clients.forEach(ApiClient::close);
        servers.forEach(ServerUnderTest::close);
        FreshServer.deleteTree(directory);
    }

    @Test
    void hashes_of_a_random_history_are_equal_on_both_servers() {
        for (int life = 0; life < LIVES; life++) {
            for (int step = 0; step < STEPS; step++) {
                step();
            }
            compareAll();
            if (life < LIVES - 1) {
                stopAll();
                startAll();
                compareAll();
            }
        }
    }

    private void step() {
        int dice = random.nextInt(100);
        if (dice < 4 && compacted < revision) {
            compact();
        } else if (dice < 6) {
            var _ = onBoth(api -> api.maintenance().defragment(DefragmentRequest.getDefaultInstance()));
        } else if (dice < 7) {
            write(TxnRequest.newBuilder().addSuccess(delete(ApiClient.ZERO, ApiClient.ZERO)));
        } else if (dice < 15) {
            compare(Math.max(compacted, 1) + random.nextLong(revision - Math.max(compacted, 1) + 1));
        } else {
            write(writes());
        }
    }

    /** One to six operations of which no two touch the same key. */
    private TxnRequest.Builder writes() {
        TxnRequest.Builder txn = TxnRequest.newBuilder();
        int operations = random.nextInt(4) == 0 ? 1 + random.nextInt(6) : 1;
        int number = random.nextInt(KEYS / 8);
        for (int i = 0; i < operations && number < KEYS; i++) {
            int next = number + 1 + random.nextInt(KEYS / 4);
            if (random.nextInt(3) > 0) {
                byte[] value = new byte[random.nextInt(3) == 0 ? 0 : random.nextInt(300)];
                random.nextBytes(value);
                PutRequest.Builder put =
                        PutRequest.newBuilder().setKey(key(number)).setValue(ByteString.copyFrom(value));
                txn.addSuccess(RequestOp.newBuilder().setRequestPut(put));
            } else {
                txn.addSuccess(delete(key(number), random.nextBoolean() ? key(next) : ByteString.EMPTY));
            }
            number = next;
        }
        return txn;
    }

    private static RequestOp.Builder delete(ByteString from, ByteString to) {
        return RequestOp.newBuilder()
                .setRequestDeleteRange(
                        DeleteRangeRequest.newBuilder().setKey(from).setRangeEnd(to));
    }

    private static ByteString key(int number) {
        return ByteString.copyFromUtf8("key%02d".formatted(number));
    }

    private void write(TxnRequest.Builder txn) {
        TxnRequest request = txn.build();
        revision = onBoth(api -> api.kv().txn(request).getHeader().getRevision());
    }

    private void compact() {
        long low = Math.max(1, compacted + 1);
        long target = random.nextInt(3) == 0 ? revision : low + random.nextLong(revision - low + 1);
        CompactionRequest.Builder request = CompactionRequest.newBuilder().setRevision(target);
        boolean physical = random.nextBoolean();
        var _ = onBoth(api -> api.kv()
                .compact(request.setPhysical(physical).build())
                .getHeader()
                .getRevision());
        if (!physical) {
            // The way to wait for one that runs.
            String refused = onBoth(api -> answer(
                    () -> api.kv().compact(request.setPhysical(true).build()).toString()));
            assertThat(refused).contains("OUT_OF_RANGE", "required revision has been compacted");
        }
        compacted = target;
        compareAll();
    }

    private void compareAll() {
        compare(0);
        for (long at = Math.max(0, compacted - 30) + 1; at <= revision + 1; at++) {
            compare(at);
        }
    }

    private void compare(long at) {
        var _ = onBoth(api -> answer(() -> {
            HashKVResponse response = api.maintenance()
                    .hashKV(HashKVRequest.newBuilder().setRevision(at).build());
            return response.getHash() + " compacted " + response.getCompactRevision() + " at "
                    + response.getHashRevision() + " of " + response.getHeader().getRevision();
        }));
    }

    private interface Asked {
        String ask();
    }

    private static String answer(Asked request) {
        try {
            return request.ask();
        } catch (StatusRuntimeException e) {
            return String.valueOf(e.getStatus());
        }
    }

    private <T> T onBoth(Function<ApiClient, T> request) {
        List<T> answers = clients.stream().map(request).toList();
        assertThat(answers.getFirst()).as(replay).isEqualTo(answers.getLast());
        return answers.getFirst();
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.compat;

import static dev.nightjar.verify.compat.StoreSpace.NO_SPACE;
import static dev.nightjar.verify.compat.StoreSpace.alarms;
import static dev.nightjar.verify.compat.StoreSpace.awaitAlarm;
import static dev.nightjar.verify.compat.StoreSpace.disarm;
import static dev.nightjar.verify.compat.StoreSpace.put;
import static dev.nightjar.verify.compat.StoreSpace.size;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import dev.nightjar.api.etcdserverpb.HashRequest;
import dev.nightjar.api.etcdserverpb.PutRequest;
import dev.nightjar.api.etcdserverpb.RangeRequest;
import dev.nightjar.api.etcdserverpb.RequestOp;
import dev.nightjar.api.etcdserverpb.TxnRequest;
import dev.nightjar.verify.driver.ApiClient;
import dev.nightjar.verify.driver.FreshServer;
import dev.nightjar.verify.driver.OnEveryServer;
import dev.nightjar.verify.driver.ServerKind;
import io.grpc.StatusRuntimeException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A store that reaches its quota: what is refused, and what is not. */
@OnEveryServer
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class QuotaTest {
    private static final long QUOTA = 8 << 20;
    private static final int FILLING = 256 << 10;
    /** What a put costs besides its key and value. */
    private static final int COST_OF_A_PUT = 256;

    @RegisterExtension
    final FreshServer fresh;

    QuotaTest(ServerKind kind) {
        fresh = new FreshServer(kind, "--quota-backend-bytes=" + QUOTA);
    }

    /** Puts keys until there is room for few more; returns how many. */
    private int fill(ApiClient api) {
        int keys = 0;
        while (size(api) + 3 * FILLING < QUOTA) {
            put(api, "fill" + keys, FILLING);
            keys++;
            settle(api);
        }
        return keys;
    }

    /** etcd counts what it writes only when it writes it to its file; a hash of everything makes it do that at once. */
    private void settle(ApiClient api) {
        if (fresh.kind() == ServerKind.ETCD) {
            var _ = api.maintenance().hash(HashRequest.getDefaultInstance());
        }
    }

    @Test
    void the_quota_is_reached_to_the_byte() {
        ApiClient api = fresh.api();
        fill(api);
        int most = (int) (QUOTA - size(api)) - COST_OF_A_PUT - 1;
        assertThatThrownBy(() -> put(api, "k", most)).hasMessage(NO_SPACE);
        awaitAlarm(api);
        // By now the store is not the question any more.
        assertThatThrownBy(() -> put(api, "k", 0)).hasMessage(NO_SPACE);
        disarm(api);
        settle(api);
        int fits = (int) (QUOTA - size(api)) - COST_OF_A_PUT - 2;
        // A transaction costs what its dearer branch does, with all that is nested in it.
        assertThatThrownBy(() -> api.kv().txn(halves(fits + 1 - COST_OF_A_PUT - 1)))
                .hasMessage(NO_SPACE);
        awaitAlarm(api);
        disarm(api);
        settle(api);
        int still = (int) (QUOTA - size(api)) - COST_OF_A_PUT - 2;
        assertThat(api.kv().txn(halves(still - COST_OF_A_PUT - 1)).getSucceeded())
                .isTrue();
    }

    /** Two puts with values of so many bytes together, one of them nested, in the branch that is not taken. */
    private static TxnRequest halves(int bytes) {
        RequestOp first = op("x", bytes / 2);
        RequestOp second = op("y", bytes - bytes / 2);
        return TxnRequest.newBuilder()
                .addSuccess(op("z", 0))
                .addFailure(first)
                .addFailure(RequestOp.newBuilder()
                        .setRequestTxn(TxnRequest.newBuilder().addSuccess(second)))
                .build();
    }

    private static RequestOp op(String key, int valueSize) {
        return RequestOp.newBuilder()
                .setRequestPut(PutRequest.newBuilder()
                        .setKey(ByteString.copyFromUtf8(key))
                        .setValue(ByteString.copyFrom(new byte[valueSize])))
                .build();
    }

    @Test
    void the_quota_is_looked_at_before_the_request() {
        ApiClient api = fresh.api();
        fill(api);
        int tooMuch = (int) (QUOTA - size(api));
        PutRequest noKey = PutRequest.newBuilder()
                .setValue(ByteString.copyFrom(new byte[tooMuch]))
                .build();
        assertThatThrownBy(() -> api.kv().put(noKey)).hasMessage(NO_SPACE);
        TxnRequest twice = TxnRequest.newBuilder()
                .addSuccess(op("k", tooMuch / 2))
                .addSuccess(op("k", tooMuch / 2))
                .build();
        assertThatThrownBy(() -> api.kv().txn(twice)).hasMessage(NO_SPACE);
    }

    @Test
    void nested_puts_are_refused_in_time() {
        ApiClient api = fresh.api();
        int taken = 0;
        try {
            while (taken < 3 * QUOTA / (1 << 20)) {
                TxnRequest.Builder inner = TxnRequest.newBuilder();
                for (int i = 0; i < 10; i++) {
                    inner.addSuccess(op("n" + taken + "." + i, 100 << 10));
                }
                var _ = api.kv()
                        .txn(TxnRequest.newBuilder()
                                .addSuccess(RequestOp.newBuilder().setRequestTxn(inner))
                                .build());
                taken++;
                settle(api);
            }
        } catch (StatusRuntimeException e) {
            assertThat(e).hasMessage(NO_SPACE);
        }
        assertThat(taken).isBetween(4, 8);
        // etcd's file grows by whole pages, and by copies of those that change.
        assertThat(size(api)).isLessThan(fresh.kind() == ServerKind.ETCD ? QUOTA + (1 << 20) : QUOTA);
    }

    @Test
    void the_alarm_stays_through_a_restart_and_only_what_adds_is_refused() {
        int keys = fill(fresh.api());
        assertThatThrownBy(() -> put(fresh.api(), "k", 3 * FILLING)).hasMessage(NO_SPACE);
        awaitAlarm(fresh.api());
        fresh.server().kill();
        fresh.server().start();
        try (ApiClient api = new ApiClient(fresh.server().endpoint())) {
            assertThat(alarms(api)).hasSize(1);
            assertThatThrownBy(() -> put(api, "k", 0)).hasMessage(NO_SPACE);
            assertThat(count(api)).isEqualTo(keys);
            assertThat(api.delete("fill0").getDeleted()).isEqualTo(1);
            api.compact(api.revision());
            assertThat(count(api)).isEqualTo(keys - 1);
            disarm(api);
            assertThat(put(api, "k", 0)).isEqualTo(keys + 3);
            // The alarm has ended, but there is no more room than before.
            assertThatThrownBy(() -> put(api, "k", 4 * FILLING)).hasMessage(NO_SPACE);
            awaitAlarm(api);
        }
    }

    private static long count(ApiClient api) {
        return api.kv()
                .range(RangeRequest.newBuilder()
                        .setKey(ApiClient.ZERO)
                        .setRangeEnd(ApiClient.ZERO)
                        .setCountOnly(true)
                        .build())
                .getCount();
    }
}

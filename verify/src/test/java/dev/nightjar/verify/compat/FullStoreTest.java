/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.compat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import dev.nightjar.api.etcdserverpb.AlarmMember;
import dev.nightjar.api.etcdserverpb.AlarmRequest;
import dev.nightjar.api.etcdserverpb.CompactionRequest;
import dev.nightjar.api.etcdserverpb.DefragmentRequest;
import dev.nightjar.api.etcdserverpb.DeleteRangeRequest;
import dev.nightjar.api.etcdserverpb.StatusRequest;
import dev.nightjar.verify.driver.ApiClient;
import dev.nightjar.verify.driver.Await;
import dev.nightjar.verify.driver.FreshServer;
import dev.nightjar.verify.driver.OnEveryServer;
import dev.nightjar.verify.driver.ServerKind;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The way back of an operator whose store is full. */
@OnEveryServer
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class FullStoreTest {
    private static final long QUOTA = 16 << 20;
    private static final int VALUE = 1 << 20;
    private static final String NO_SPACE = "RESOURCE_EXHAUSTED: etcdserver: mvcc: database space exceeded";
    private static final Duration LIMIT = Duration.ofSeconds(20);

    @RegisterExtension
    final FreshServer fresh;

    FullStoreTest(ServerKind kind) {
        fresh = new FreshServer(kind, "--quota-backend-bytes=" + QUOTA);
    }

    @Test
    void a_full_store_comes_back_when_space_is_freed_and_the_alarm_disarmed() {
        int keys = fill();
        fresh.server().kill();
        fresh.server().start();
        try (ApiClient api = new ApiClient(fresh.server().endpoint())) {
            assertThat(alarms(api)).hasSize(1);
            long revision = deleteAll(api);
            assertThat(revision).isEqualTo(keys + 2);
            CompactionRequest compaction = CompactionRequest.newBuilder()
                    .setRevision(revision)
                    .setPhysical(true)
                    .build();
            assertThat(api.kv().compact(compaction).getHeader().getRevision()).isEqualTo(revision);
            var _ = api.maintenance().defragment(DefragmentRequest.getDefaultInstance());
            Await.until("a small store", LIMIT, () -> size(api) < QUOTA / 4);
            assertThatThrownBy(() -> put(api, "k", 0)).hasMessage(NO_SPACE);
            disarm(api);
            for (int i = 0; i < keys / 2; i++) {
                assertThat(put(api, "again" + i, VALUE)).isEqualTo(revision + 1 + i);
            }
            assertThat(alarms(api)).isEmpty();
        }
    }

    /** Puts until the store refuses; returns how many it took. */
    private int fill() {
        int keys = 0;
        try {
            while (keys < 2 * QUOTA / VALUE) {
                put(fresh.api(), "fill" + keys, VALUE);
                keys++;
            }
        } catch (StatusRuntimeException e) {
            assertThat(e).hasMessage(NO_SPACE);
        }
        Await.until("the alarm", LIMIT, () -> !alarms(fresh.api()).isEmpty());
        // One that finds the store full only when it is carried out is refused by etcd, but carried out.
        return (int) fresh.api().revision() - 1;
    }

    private static long put(ApiClient api, String key, int valueSize) {
        return api.put(ByteString.copyFromUtf8(key), ByteString.copyFrom(new byte[valueSize]));
    }

    private static long deleteAll(ApiClient api) {
        DeleteRangeRequest all = DeleteRangeRequest.newBuilder()
                .setKey(ApiClient.ZERO)
                .setRangeEnd(ApiClient.ZERO)
                .build();
        return api.kv().deleteRange(all).getHeader().getRevision();
    }

    private static long size(ApiClient api) {
        return api.maintenance().status(StatusRequest.getDefaultInstance()).getDbSize();
    }

    private static List<AlarmMember> alarms(ApiClient api) {
        return api.maintenance().alarm(AlarmRequest.getDefaultInstance()).getAlarmsList();
    }

    private static void disarm(ApiClient api) {
        for (AlarmMember alarm : alarms(api)) {
            var _ = api.maintenance()
                    .alarm(AlarmRequest.newBuilder()
                            .setAction(AlarmRequest.AlarmAction.DEACTIVATE)
                            .setMemberID(alarm.getMemberID())
                            .setAlarm(alarm.getAlarm())
                            .build());
        }
        assertThat(alarms(api)).isEmpty();
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.compat;

import static dev.nightjar.verify.compat.StoreSpace.LIMIT;
import static dev.nightjar.verify.compat.StoreSpace.NO_SPACE;
import static dev.nightjar.verify.compat.StoreSpace.alarms;
import static dev.nightjar.verify.compat.StoreSpace.awaitAlarm;
import static dev.nightjar.verify.compat.StoreSpace.disarm;
import static dev.nightjar.verify.compat.StoreSpace.put;
import static dev.nightjar.verify.compat.StoreSpace.size;
import static dev.nightjar.verify.compat.StoreSpace.status;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.nightjar.api.etcdserverpb.CompactionRequest;
import dev.nightjar.api.etcdserverpb.DefragmentRequest;
import dev.nightjar.api.etcdserverpb.DeleteRangeRequest;
import dev.nightjar.api.etcdserverpb.StatusResponse;
import dev.nightjar.verify.driver.ApiClient;
import dev.nightjar.verify.driver.Await;
import dev.nightjar.verify.driver.FreshServer;
import dev.nightjar.verify.driver.OnEveryServer;
import dev.nightjar.verify.driver.ServerKind;
import io.grpc.StatusRuntimeException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The way back of an operator whose store is full. */
@OnEveryServer
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class FullStoreTest {
    private static final long QUOTA = 16 << 20;
    private static final int VALUE = 1 << 20;

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
            StatusResponse full = status(api);
            assertThat(full.getDbSizeQuota()).isEqualTo(QUOTA);
            assertThat(full.getErrorsList()).singleElement().asString().contains("memberID:", "alarm:NOSPACE");
            assertThatThrownBy(() -> put(api, "k", 0)).hasMessage(NO_SPACE);
            long revision = deleteAll(api);
            assertThat(revision).isEqualTo(keys + 2);
            CompactionRequest compaction = CompactionRequest.newBuilder()
                    .setRevision(revision)
                    .setPhysical(true)
                    .build();
            assertThat(api.kv().compact(compaction).getHeader().getRevision()).isEqualTo(revision);
            assertThat(api.maintenance()
                            .defragment(DefragmentRequest.getDefaultInstance())
                            .hasHeader())
                    .isFalse();
            Await.until("a small store", LIMIT, () -> size(api) < QUOTA / 4);
            StatusResponse empty = status(api);
            assertThat(empty.getDbSizeInUse()).isPositive().isLessThanOrEqualTo(empty.getDbSize());
            assertThatThrownBy(() -> put(api, "k", 0)).hasMessage(NO_SPACE);
            disarm(api);
            for (int i = 0; i < keys / 2; i++) {
                assertThat(put(api, "again" + i, VALUE)).isEqualTo(revision + 1 + i);
            }
            assertThat(alarms(api)).isEmpty();
            assertThat(status(api).getErrorsList()).isEmpty();
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
        awaitAlarm(fresh.api());
        // One that finds the store full only when it is carried out is refused by etcd, but carried out.
        return (int) fresh.api().revision() - 1;
    }

    private static long deleteAll(ApiClient api) {
        DeleteRangeRequest all = DeleteRangeRequest.newBuilder()
                .setKey(ApiClient.ZERO)
                .setRangeEnd(ApiClient.ZERO)
                .build();
        return api.kv().deleteRange(all).getHeader().getRevision();
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.compat;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import dev.nightjar.api.etcdserverpb.AlarmRequest;
import dev.nightjar.api.etcdserverpb.AlarmRequest.AlarmAction;
import dev.nightjar.api.etcdserverpb.AlarmResponse;
import dev.nightjar.api.etcdserverpb.AlarmType;
import dev.nightjar.api.etcdserverpb.CompactionRequest;
import dev.nightjar.api.etcdserverpb.DefragmentRequest;
import dev.nightjar.api.etcdserverpb.DeleteRangeRequest;
import dev.nightjar.api.etcdserverpb.HashRequest;
import dev.nightjar.api.etcdserverpb.HashResponse;
import dev.nightjar.api.etcdserverpb.RangeRequest;
import dev.nightjar.api.etcdserverpb.StatusRequest;
import dev.nightjar.api.etcdserverpb.StatusResponse;
import dev.nightjar.verify.driver.ApiClient;
import dev.nightjar.verify.driver.Await;
import dev.nightjar.verify.driver.FreshServer;
import dev.nightjar.verify.driver.OnEveryServer;
import dev.nightjar.verify.driver.ServerKind;
import dev.nightjar.verify.driver.ServerUnderTest;
import io.grpc.StatusRuntimeException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** A member's state, its disk space and its alarms, as an operator deals with them. */
@OnEveryServer
class MaintenanceTest {
    private static final long QUOTA_BYTES = 16 << 20;
    private static final ByteString VALUE = ByteString.copyFrom(new byte[100_000]);

    private final ServerKind kind;

    MaintenanceTest(ServerKind kind) {
        this.kind = kind;
    }

    private void with(List<String> flags, Consumer<ServerUnderTest> work) throws Exception {
        Path directory = FreshServer.newDirectory();
        try (ServerUnderTest server = kind.on(directory, flags)) {
            server.start();
            work.accept(server);
        }
        FreshServer.deleteTree(directory);
    }

    private static StatusResponse status(ApiClient api) {
        return api.maintenance().status(StatusRequest.getDefaultInstance());
    }

    private static long fill(ApiClient api) {
        for (int i = 0; ; i++) {
            try {
                var _ = api.put(ByteString.copyFromUtf8("k" + i), VALUE);
            } catch (StatusRuntimeException e) {
                assertThat(e).hasMessage("RESOURCE_EXHAUSTED: etcdserver: mvcc: database space exceeded");
                return i;
            }
            assertThat(i * (long) VALUE.size()).isLessThan(2 * QUOTA_BYTES);
        }
    }

    @Test
    void a_full_store_takes_writes_again_once_room_has_been_made_and_the_alarm_disarmed() throws Exception {
        with(List.of("--quota-backend-bytes=" + QUOTA_BYTES), server -> {
            long keys;
            try (ApiClient api = new ApiClient(server.endpoint())) {
                keys = fill(api);
                assertThat(keys).isGreaterThan(50);
            }
            var _ = server.terminate();
            server.start();
            try (ApiClient api = new ApiClient(server.endpoint())) {
                StatusResponse full = status(api);
                assertThat(full.getDbSizeQuota()).isEqualTo(QUOTA_BYTES);
                assertThat(full.getErrorsList()).singleElement().asString().contains("memberID:", "alarm:NOSPACE");
                assertThat(fillsNothing(api)).isTrue();
                makeRoom(api, keys);
                StatusResponse after = status(api);
                assertThat(after.getDbSize()).isLessThan(full.getDbSize() / 4);
                assertThat(after.getDbSizeInUse()).isPositive().isLessThanOrEqualTo(after.getDbSize());
                assertThat(fillsNothing(api)).isTrue();
                disarm(api);
                assertThat(status(api).getErrorsList()).isEmpty();
                assertThat(fill(api)).isGreaterThan(keys / 2);
            }
        });
    }

    private static boolean fillsNothing(ApiClient api) {
        return fill(api) == 0;
    }

    private static void makeRoom(ApiClient api, long keys) {
        long deleted = api.kv()
                .deleteRange(DeleteRangeRequest.newBuilder()
                        .setKey(ByteString.copyFromUtf8("k"))
                        .setRangeEnd(ByteString.copyFromUtf8("l"))
                        .build())
                .getDeleted();
        assertThat(deleted).isEqualTo(keys);
        var _ = api.kv()
                .compact(CompactionRequest.newBuilder()
                        .setRevision(api.revision())
                        .setPhysical(true)
                        .build());
        assertThat(api.maintenance()
                        .defragment(DefragmentRequest.getDefaultInstance())
                        .hasHeader())
                .isFalse();
    }

    private static void disarm(ApiClient api) {
        AlarmResponse raised = api.maintenance().alarm(AlarmRequest.getDefaultInstance());
        assertThat(raised.getAlarmsList()).singleElement().satisfies(alarm -> {
            assertThat(alarm.getMemberID()).isEqualTo(raised.getHeader().getMemberId());
            assertThat(alarm.getAlarm()).isEqualTo(AlarmType.NOSPACE);
        });
        AlarmResponse disarmed = api.maintenance()
                .alarm(AlarmRequest.newBuilder()
                        .setAction(AlarmAction.DEACTIVATE)
                        .setMemberID(raised.getHeader().getMemberId())
                        .setAlarm(AlarmType.NOSPACE)
                        .build());
        assertThat(disarmed.getAlarmsList()).isEqualTo(raised.getAlarmsList());
    }

    @Test
    void status_tells_everything_of_a_member_that_serves() throws Exception {
        with(List.of("--quota-backend-bytes=-1"), server -> {
            try (ApiClient api = new ApiClient(server.endpoint())) {
                long revision = api.put("a", "1");
                StatusResponse status = status(api);
                assertThat(status.getHeader().getRevision()).isEqualTo(revision);
                assertThat(status.getHeader().getClusterId()).isNotZero();
                assertThat(status.getLeader())
                        .isEqualTo(status.getHeader().getMemberId())
                        .isNotZero();
                assertThat(status.getRaftTerm())
                        .isEqualTo(status.getHeader().getRaftTerm())
                        .isPositive();
                assertThat(status.getRaftAppliedIndex()).isPositive().isLessThanOrEqualTo(status.getRaftIndex());
                assertThat(status.getVersion()).isEqualTo("3.7.3");
                assertThat(status.getStorageVersion()).isEqualTo("3.7.0");
                assertThat(status.getDbSize()).isPositive();
                assertThat(status.getDbSizeInUse()).isPositive().isLessThanOrEqualTo(status.getDbSize());
                assertThat(status.getDbSizeQuota()).isEqualTo(-1);
                assertThat(status.getErrorsList()).isEmpty();
                assertThat(status.getIsLearner()).isFalse();
                assertThat(status.hasDowngradeInfo()).isTrue();
                assertThat(status.getDowngradeInfo().getEnabled()).isFalse();
            }
        });
    }

    @Test
    void a_hash_of_everything_is_stable_until_something_changes() throws Exception {
        with(List.of(), server -> {
            try (ApiClient api = new ApiClient(server.endpoint())) {
                long revision = api.put("a", "1");
                HashResponse first = hash(api);
                assertThat(first.getHeader().getRevision()).isEqualTo(revision);
                assertThat(hash(api).getHash()).isEqualTo(first.getHash());
                var _ = api.put("a", "1");
                assertThat(hash(api).getHash()).isNotEqualTo(first.getHash());
                int before = hash(api).getHash();
                var _ = api.maintenance()
                        .alarm(AlarmRequest.newBuilder()
                                .setAction(AlarmAction.ACTIVATE)
                                .setMemberID(7)
                                .setAlarm(AlarmType.NOSPACE)
                                .build());
                assertThat(hash(api).getHash()).isNotEqualTo(before);
            }
        });
    }

    private static HashResponse hash(ApiClient api) {
        return api.maintenance().hash(HashRequest.getDefaultInstance());
    }

    @Test
    void history_is_compacted_by_itself() throws Exception {
        with(List.of("--auto-compaction-mode=periodic", "--auto-compaction-retention=1s"), server -> {
            try (ApiClient api = new ApiClient(server.endpoint())) {
                var _ = api.put("a", "1");
                var _ = api.put("a", "2");
                var _ = api.put("a", "3");
                Await.until("revision 2 is compacted", Duration.ofSeconds(20), () -> isCompacted(api));
                assertThat(api.kv()
                                .range(RangeRequest.newBuilder()
                                        .setKey(ByteString.copyFromUtf8("a"))
                                        .build())
                                .getKvs(0)
                                .getValue())
                        .isEqualTo(ByteString.copyFromUtf8("3"));
                String line = server.output().await("completed auto periodic compaction", Duration.ofSeconds(10));
                assertThat(line).contains("\"compact-period\":\"1s\"", "\"took\":\"");
                var _ = server.output().await("finished scheduled compaction", Duration.ofSeconds(10));
            }
        });
    }

    private static boolean isCompacted(ApiClient api) {
        try {
            var _ = api.kv()
                    .range(RangeRequest.newBuilder()
                            .setKey(ByteString.copyFromUtf8("a"))
                            .setRevision(2)
                            .build());
            return false;
        } catch (StatusRuntimeException e) {
            assertThat(e).hasMessage("OUT_OF_RANGE: etcdserver: mvcc: required revision has been compacted");
            return true;
        }
    }
}

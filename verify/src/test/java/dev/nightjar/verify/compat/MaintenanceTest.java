/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.compat;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import dev.nightjar.api.etcdserverpb.AlarmRequest;
import dev.nightjar.api.etcdserverpb.AlarmRequest.AlarmAction;
import dev.nightjar.api.etcdserverpb.AlarmType;
import dev.nightjar.api.etcdserverpb.HashRequest;
import dev.nightjar.api.etcdserverpb.HashResponse;
import dev.nightjar.api.etcdserverpb.RangeRequest;
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

    @Test
    void status_tells_everything_of_a_member_that_serves() throws Exception {
        with(List.of("--quota-backend-bytes=-1"), server -> {
            try (ApiClient api = new ApiClient(server.endpoint())) {
                long revision = api.put("a", "1");
                StatusResponse status = StoreSpace.status(api);
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
                Await.until("revision 2 is compacted", Duration.ofSeconds(60), () -> isCompacted(api));
                assertThat(api.kv()
                                .range(RangeRequest.newBuilder()
                                        .setKey(ByteString.copyFromUtf8("a"))
                                        .build())
                                .getKvs(0)
                                .getValue())
                        .isEqualTo(ByteString.copyFromUtf8("3"));
                String line = server.output().await("completed auto periodic compaction", Duration.ofSeconds(60));
                assertThat(line).contains("\"compact-period\":\"1s\"", "\"took\":\"");
                var _ = server.output().await("finished scheduled compaction", Duration.ofSeconds(60));
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

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.compat;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import dev.nightjar.api.etcdserverpb.AlarmMember;
import dev.nightjar.api.etcdserverpb.AlarmRequest;
import dev.nightjar.api.etcdserverpb.AlarmResponse;
import dev.nightjar.api.etcdserverpb.AlarmType;
import dev.nightjar.api.etcdserverpb.StatusRequest;
import dev.nightjar.api.etcdserverpb.StatusResponse;
import dev.nightjar.verify.driver.ApiClient;
import dev.nightjar.verify.driver.Await;
import java.time.Duration;
import java.util.List;

/** What tests of a store's quota ask and do; stateless. */
final class StoreSpace {
    static final String NO_SPACE = "RESOURCE_EXHAUSTED: etcdserver: mvcc: database space exceeded";
    static final Duration LIMIT = Duration.ofSeconds(60);

    private StoreSpace() {}

    static long put(ApiClient api, String key, int valueSize) {
        return api.put(ByteString.copyFromUtf8(key), ByteString.copyFrom(new byte[valueSize]));
    }

    static StatusResponse status(ApiClient api) {
        return api.maintenance().status(StatusRequest.getDefaultInstance());
    }

    static long size(ApiClient api) {
        return status(api).getDbSize();
    }

    static List<AlarmMember> alarms(ApiClient api) {
        return api.maintenance().alarm(AlarmRequest.getDefaultInstance()).getAlarmsList();
    }

    static void awaitAlarm(ApiClient api) {
        Await.until("the alarm", LIMIT, () -> !alarms(api).isEmpty());
    }

    /** Ends the one alarm that there is. */
    static void disarm(ApiClient api) {
        AlarmResponse raised = api.maintenance().alarm(AlarmRequest.getDefaultInstance());
        assertThat(raised.getAlarmsList()).singleElement().satisfies(alarm -> {
            assertThat(alarm.getMemberID()).isEqualTo(raised.getHeader().getMemberId());
            assertThat(alarm.getAlarm()).isEqualTo(AlarmType.NOSPACE);
        });
        AlarmResponse disarmed = api.maintenance()
                .alarm(AlarmRequest.newBuilder()
                        .setAction(AlarmRequest.AlarmAction.DEACTIVATE)
                        .setMemberID(raised.getHeader().getMemberId())
                        .setAlarm(AlarmType.NOSPACE)
                        .build());
        assertThat(disarmed.getAlarmsList()).isEqualTo(raised.getAlarmsList());
        assertThat(alarms(api)).isEmpty();
    }
}

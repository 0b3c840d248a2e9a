/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.fault;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import dev.nightjar.api.etcdserverpb.RangeRequest;
import dev.nightjar.verify.driver.ApiClient;
import dev.nightjar.verify.driver.FreshServer;
import dev.nightjar.verify.driver.OnEveryServer;
import dev.nightjar.verify.driver.ServerKind;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A store with many keys comes back after a kill, whole and soon. */
@OnEveryServer
class LargeStoreTest {
    private static final Logger LOG = LoggerFactory.getLogger(LargeStoreTest.class);
    private static final int KEYS = 200_000;

    /** Starts of which one has to be quick. */
    private static final int STARTS = 3;

    /** A few times what it takes, since the machine may be busy with other things; the log has the figure. */
    private static final Duration BOUND = Duration.ofSeconds(20);

    @RegisterExtension
    final FreshServer fresh;

    LargeStoreTest(ServerKind kind) {
        fresh = new FreshServer(kind);
    }

    @Test
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    void two_hundred_thousand_keys_are_there_soon_after_a_kill() {
        long revision = fresh.api()
                .fill(KEYS, i -> ApiClient.putRequest("key %09d".formatted(i), ByteString.copyFromUtf8("value " + i)));
        Duration quickest = killAndStart(revision);
        for (int i = 1; i < STARTS && quickest.compareTo(BOUND) >= 0; i++) {
            quickest = killAndStart(revision);
        }
        assertThat(quickest).as("time to the first answer").isLessThan(BOUND);
    }

    private Duration killAndStart(long revision) {
        fresh.server().kill();
        long begin = System.nanoTime();
        fresh.server().start();
        try (ApiClient api = new ApiClient(fresh.server().endpoint())) {
            RangeRequest.Builder all =
                    RangeRequest.newBuilder().setKey(ApiClient.ZERO).setRangeEnd(ApiClient.ZERO);
            long count = api.kv().range(all.setCountOnly(true).build()).getCount();
            Duration time = Duration.ofNanos(System.nanoTime() - begin);
            LOG.info("{}: {} keys are served {} ms after the start", fresh.kind(), count, time.toMillis());
            assertThat(count).isEqualTo(KEYS);
            assertThat(api.revision()).isEqualTo(revision);
            return time;
        }
    }
}

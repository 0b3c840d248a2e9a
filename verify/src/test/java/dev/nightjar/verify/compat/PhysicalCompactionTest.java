/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.compat;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import dev.nightjar.api.etcdserverpb.CompactionRequest;
import dev.nightjar.api.etcdserverpb.StatusRequest;
import dev.nightjar.verify.driver.ApiClient;
import dev.nightjar.verify.driver.FreshServer;
import dev.nightjar.verify.driver.OnEveryServer;
import dev.nightjar.verify.driver.ServerKind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A physical compaction is answered once the member has forgotten what was superseded. */
@OnEveryServer
class PhysicalCompactionTest {
    private static final int KEYS = 2000;
    private static final int VERSIONS = 5;
    private static final int VALUE = 500;

    @RegisterExtension
    final FreshServer fresh;

    PhysicalCompactionTest(ServerKind kind) {
        fresh = new FreshServer(kind);
    }

    @Test
    void what_was_superseded_is_not_in_use_any_more_when_the_answer_is_there() {
        ByteString value = ByteString.copyFrom(new byte[VALUE]);
        long revision = 0;
        for (int version = 0; version < VERSIONS; version++) {
            revision = fresh.api().fill(KEYS, i -> ApiClient.putRequest("k" + i, value));
        }
        var _ = fresh.api()
                .kv()
                .compact(CompactionRequest.newBuilder()
                        .setRevision(revision)
                        .setPhysical(true)
                        .build());
        long inUse = fresh.api()
                .maintenance()
                .status(StatusRequest.getDefaultInstance())
                .getDbSizeInUse();
        assertThat(inUse).isBetween((long) KEYS * VALUE, 2L * KEYS * VALUE);
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.compat;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import dev.nightjar.api.etcdserverpb.CompactionRequest;
import dev.nightjar.api.etcdserverpb.PutRequest;
import dev.nightjar.api.etcdserverpb.RequestOp;
import dev.nightjar.api.etcdserverpb.StatusRequest;
import dev.nightjar.api.etcdserverpb.TxnRequest;
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
    private static final int KEYS_OF_A_TRANSACTION = 100;
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
            for (int i = 0; i < KEYS; i += KEYS_OF_A_TRANSACTION) {
                TxnRequest.Builder txn = TxnRequest.newBuilder();
                for (int j = i; j < i + KEYS_OF_A_TRANSACTION; j++) {
                    txn.addSuccess(RequestOp.newBuilder()
                            .setRequestPut(PutRequest.newBuilder()
                                    .setKey(ByteString.copyFromUtf8("k" + j))
                                    .setValue(value)));
                }
                revision = fresh.api().kv().txn(txn.build()).getHeader().getRevision();
            }
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

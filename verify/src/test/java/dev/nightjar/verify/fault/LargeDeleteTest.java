/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.nightjar.api.etcdserverpb.DeleteRangeRequest;
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

/**
 * The limit on the keys that one request deletes, which follows the heap: beyond it the request is refused, up to it the
 * server carries it out, and carries it out again when it reads its log. etcd has no such limit.
 */
@OnEveryServer
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class LargeDeleteTest {
    /** A key for each 192 bytes of a heap of 96 MiB, but for 64 MiB that are in use anyway. */
    private static final int MOST = ((96 - 64) << 20) / 192;

    private static final int KEYS = MOST + 1000;

    private final ServerKind kind;

    @RegisterExtension
    final FreshServer fresh;

    LargeDeleteTest(ServerKind kind) {
        this.kind = kind;
        fresh = new FreshServer(kind, "-Xmx96m", ManyKeys.FLAG);
    }

    private static DeleteRangeRequest.Builder first(int count) {
        return ManyKeys.delete().setRangeEnd(ManyKeys.key(count));
    }

    private static long count(ApiClient api) {
        return api.kv()
                .range(RangeRequest.newBuilder()
                        .setKey(ManyKeys.from())
                        .setRangeEnd(ManyKeys.end())
                        .setCountOnly(true)
                        .build())
                .getCount();
    }

    @Test
    void one_request_deletes_as_many_keys_as_the_heap_bears_and_not_one_more() throws Exception {
        assumeTrue(kind == ServerKind.NIGHTJAR, "etcd has no limit");
        ManyKeys.write(fresh.api(), KEYS);
        long revision = fresh.api().revision();
        TxnRequest inTransaction = TxnRequest.newBuilder()
                .addSuccess(RequestOp.newBuilder().setRequestDeleteRange(first(MOST + 1)))
                .build();
        assertThatThrownBy(() -> fresh.api().kv().deleteRange(first(MOST + 1).build()))
                .isInstanceOf(StatusRuntimeException.class)
                .hasMessage("INVALID_ARGUMENT: etcdserver: request is too large");
        assertThatThrownBy(() -> fresh.api().kv().txn(inTransaction))
                .isInstanceOf(StatusRuntimeException.class)
                .hasMessage("INVALID_ARGUMENT: etcdserver: request is too large");
        assertThat(fresh.api().revision()).isEqualTo(revision);
        assertThat(fresh.api().kv().deleteRange(first(MOST).build()).getDeleted())
                .isEqualTo(MOST);
        assertThat(count(fresh.api())).isEqualTo(KEYS - MOST);
        fresh.server().kill();
        fresh.server().start();
        try (ApiClient api = new ApiClient(fresh.server().endpoint())) {
            assertThat(count(api)).isEqualTo(KEYS - MOST);
            assertThat(api.revision()).isEqualTo(revision + 1);
            assertThat(api.put("other", "value")).isEqualTo(revision + 2);
        }
    }
}

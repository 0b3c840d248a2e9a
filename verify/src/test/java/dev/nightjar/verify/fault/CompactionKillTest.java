/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.util.concurrent.ListenableFuture;
import com.google.protobuf.ByteString;
import dev.nightjar.api.etcdserverpb.CompactionRequest;
import dev.nightjar.api.etcdserverpb.CompactionResponse;
import dev.nightjar.api.etcdserverpb.PutRequest;
import dev.nightjar.api.etcdserverpb.RangeRequest;
import dev.nightjar.api.etcdserverpb.RangeResponse;
import dev.nightjar.api.etcdserverpb.RequestOp;
import dev.nightjar.api.etcdserverpb.TxnRequest;
import dev.nightjar.verify.driver.ApiClient;
import dev.nightjar.verify.driver.FreshServer;
import dev.nightjar.verify.driver.OnEveryServer;
import dev.nightjar.verify.driver.Seeds;
import dev.nightjar.verify.driver.ServerKind;
import io.grpc.StatusRuntimeException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What a kill and a restart must leave as it was: the revision, the compacted one, and what was refused. */
@OnEveryServer
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class CompactionKillTest {
    private static final int ROUNDS = 4;
    private static final int KEYS = 300;

    @RegisterExtension
    final FreshServer fresh;

    private final long seed = Seeds.seed();
    private final RandomGenerator random = Seeds.generator(seed, 0);

    CompactionKillTest(ServerKind kind) {
        fresh = new FreshServer(kind);
    }

    /** The newest records are tombstones that the compaction removes: nothing but the compaction itself tells the revision. */
    @Test
    void the_revision_does_not_fall_when_the_newest_changes_are_compacted_away() {
        try {
            for (int round = 0; round < ROUNDS; round++) {
                long revision = putAndDelete();
                boolean compacted = compactAndKill(revision);
                fresh.server().start();
                assertUnchanged(revision, compacted);
            }
        } catch (AssertionError | RuntimeException e) {
            throw new AssertionError(Seeds.replay(CompactionKillTest.class, seed), e);
        }
    }

    private long putAndDelete() {
        try (ApiClient api = new ApiClient(fresh.server().endpoint())) {
            long revision = api.fill(KEYS, i -> ApiClient.putRequest("k" + i, ByteString.copyFromUtf8("v")));
            for (int i = 0; i < KEYS; i++) {
                revision = api.delete("k" + i).getHeader().getRevision();
            }
            return revision;
        }
    }

    /** Returns whether the compaction was acknowledged: the kill comes before, at, or after the answer. */
    private boolean compactAndKill(long revision) {
        try (ApiClient api = new ApiClient(fresh.server().endpoint())) {
            CompactionRequest request = CompactionRequest.newBuilder()
                    .setRevision(revision)
                    .setPhysical(random.nextBoolean())
                    .build();
            ListenableFuture<CompactionResponse> answer = api.asyncKv().compact(request);
            for (int i = random.nextInt(20); i > 0 && !answer.isDone(); i--) {
                assertThat(api.revision()).isEqualTo(revision);
            }
            fresh.server().kill();
            return answer.get().hasHeader();
        } catch (ExecutionException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while waiting for a compaction", e);
        }
    }

    private void assertUnchanged(long revision, boolean compacted) {
        try (ApiClient api = new ApiClient(fresh.server().endpoint())) {
            assertThat(api.revision()).isEqualTo(revision);
            assertThat(count(api, revision)).isZero();
            if (compacted) {
                assertThatThrownBy(() -> count(api, revision - 1))
                        .hasMessage("OUT_OF_RANGE: etcdserver: mvcc: required revision has been compacted");
            }
            assertThat(api.put("next", "v")).isEqualTo(revision + 1);
            assertThat(api.delete("next").getHeader().getRevision()).isEqualTo(revision + 2);
        }
    }

    private static long count(ApiClient api, long revision) {
        return api.kv().range(everything().setRevision(revision).build()).getCount();
    }

    /** A restart carries out the log once more, and must refuse once more what was refused. */
    @Test
    void what_was_refused_stays_refused_after_a_restart() {
        for (int i = 0; i < 20; i++) {
            fresh.api().put("k" + i, "v");
        }
        fresh.api().compact(10);
        refused(put("refused"), range(5));
        refused(range(5), put("refused"));
        refused(put("refused"), range(99));
        refused(
                put("refused"),
                RequestOp.newBuilder()
                        .setRequestPut(PutRequest.newBuilder()
                                .setKey(ByteString.copyFromUtf8("missing"))
                                .setIgnoreValue(true))
                        .build());
        fresh.api().put("k0", "last");
        RangeResponse before = fresh.api().kv().range(everything().build());
        fresh.server().kill();
        fresh.server().start();
        try (ApiClient api = new ApiClient(fresh.server().endpoint())) {
            RangeResponse after = api.kv().range(everything().build());
            assertThat(after.getKvsList()).isEqualTo(before.getKvsList());
            assertThat(after.getHeader().getRevision())
                    .isEqualTo(before.getHeader().getRevision())
                    .isEqualTo(22);
        }
    }

    private void refused(RequestOp... ops) {
        TxnRequest.Builder txn = TxnRequest.newBuilder();
        for (RequestOp op : ops) {
            txn.addSuccess(op);
        }
        assertThatThrownBy(() -> fresh.api().kv().txn(txn.build())).isInstanceOf(StatusRuntimeException.class);
    }

    private static RequestOp put(String key) {
        return RequestOp.newBuilder()
                .setRequestPut(PutRequest.newBuilder().setKey(ByteString.copyFromUtf8(key)))
                .build();
    }

    private static RequestOp range(long revision) {
        return RequestOp.newBuilder()
                .setRequestRange(RangeRequest.newBuilder()
                        .setKey(ByteString.copyFromUtf8("k0"))
                        .setRevision(revision))
                .build();
    }

    private static RangeRequest.Builder everything() {
        return RangeRequest.newBuilder().setKey(ApiClient.ZERO).setRangeEnd(ApiClient.ZERO);
    }
}

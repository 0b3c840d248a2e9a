/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.compat;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import dev.nightjar.api.etcdserverpb.Compare;
import dev.nightjar.api.etcdserverpb.DeleteRangeRequest;
import dev.nightjar.api.etcdserverpb.KVGrpc;
import dev.nightjar.api.etcdserverpb.RangeRequest;
import dev.nightjar.api.etcdserverpb.RequestOp;
import dev.nightjar.api.etcdserverpb.StatusRequest;
import dev.nightjar.api.etcdserverpb.TxnRequest;
import dev.nightjar.api.etcdserverpb.TxnResponse;
import dev.nightjar.verify.driver.FreshServer;
import dev.nightjar.verify.driver.OnEveryServer;
import dev.nightjar.verify.driver.ServerKind;
import io.grpc.StatusRuntimeException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Transactions that only read: they do not pass through the log, and can be given up at any time. */
@OnEveryServer
class ReadOnlyTxnTest {
    private static final int CLIENTS = 4;
    private static final int CALLS_OF_A_CLIENT = 1000;

    @RegisterExtension
    final FreshServer fresh;

    ReadOnlyTxnTest(ServerKind kind) {
        fresh = new FreshServer(kind);
    }

    private static ByteString key(String key) {
        return ByteString.copyFromUtf8(key);
    }

    private static RequestOp range(long revision, boolean serializable) {
        return RequestOp.newBuilder()
                .setRequestRange(RangeRequest.newBuilder()
                        .setKey(key("a"))
                        .setRangeEnd(key("z"))
                        .setRevision(revision)
                        .setSerializable(serializable))
                .build();
    }

    private long appliedIndex() {
        return fresh.api()
                .maintenance()
                .status(StatusRequest.getDefaultInstance())
                .getRaftAppliedIndex();
    }

    /** By how much the applied index moves: one entry each for what passes through the log. */
    private long entries(int times, TxnRequest request) {
        long before = appliedIndex();
        for (int i = 0; i < times; i++) {
            var _ = fresh.api().kv().txn(request);
        }
        return appliedIndex() - before;
    }

    @Test
    void reads_do_not_pass_through_the_log() {
        for (int i = 0; i < 5; i++) {
            fresh.api().put("k" + i, "v");
        }
        Compare exists = Compare.newBuilder()
                .setKey(key("k0"))
                .setTarget(Compare.CompareTarget.VERSION)
                .setResult(Compare.CompareResult.GREATER)
                .build();
        assertThat(entries(
                        10, TxnRequest.newBuilder().addSuccess(range(0, false)).build()))
                .isZero();
        assertThat(entries(
                        10, TxnRequest.newBuilder().addSuccess(range(0, true)).build()))
                .isZero();
        assertThat(entries(10, TxnRequest.newBuilder().addCompare(exists).build()))
                .isZero();
        assertThat(entries(10, TxnRequest.getDefaultInstance())).isZero();
        assertThat(entries(
                        10,
                        TxnRequest.newBuilder()
                                .addCompare(exists)
                                .addSuccess(range(0, false))
                                .addFailure(range(0, true))
                                .build()))
                .isZero();
    }

    @Test
    void what_might_write_does_even_if_it_changes_nothing() {
        fresh.api().put("k", "v");
        RequestOp nested = RequestOp.newBuilder()
                .setRequestTxn(TxnRequest.newBuilder().addSuccess(range(0, false)))
                .build();
        RequestOp delete = RequestOp.newBuilder()
                .setRequestDeleteRange(DeleteRangeRequest.newBuilder().setKey(key("none")))
                .build();
        for (TxnRequest request : List.of(
                TxnRequest.newBuilder().addSuccess(nested).build(),
                TxnRequest.newBuilder()
                        .addSuccess(range(0, false))
                        .addFailure(delete)
                        .build())) {
            assertThat(entries(10, request)).isEqualTo(10);
        }
        assertThat(fresh.api().revision()).isEqualTo(2);
    }

    /** A deadline of two milliseconds sometimes is enough and sometimes not; whatever comes is right. */
    @Test
    void reads_that_are_given_up_do_no_harm() throws Exception {
        for (int i = 0; i < 100; i++) {
            fresh.api().put("k" + i, "v");
        }
        fresh.api().compact(50);
        List<String> outcomes = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(CLIENTS)) {
            List<Future<List<String>>> running = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                int client = i;
                running.add(threads.submit(() -> reads(client)));
            }
            for (Future<List<String>> client : running) {
                outcomes.addAll(client.get());
            }
        }
        assertThat(outcomes).hasSize(CLIENTS * CALLS_OF_A_CLIENT);
        assertThat(fresh.api().put("k", "still here")).isEqualTo(102);
        TxnResponse last = fresh.api()
                .kv()
                .txn(TxnRequest.newBuilder().addSuccess(range(0, false)).build());
        assertThat(last.getResponses(0).getResponseRange().getCount()).isEqualTo(101);
    }

    private List<String> reads(int client) {
        List<String> outcomes = new ArrayList<>();
        for (int i = 0; i < CALLS_OF_A_CLIENT; i++) {
            long revision = List.of(0L, 49L, 60L, 1000L).get((client + i) % 4);
            KVGrpc.KVBlockingStub kv = fresh.api().kv().withDeadlineAfter(i % 20 * 100L, TimeUnit.MICROSECONDS);
            String outcome = i % 5 == 0 ? range(kv, revision) : read(kv, revision, i % 3 == 0);
            if (!outcome.startsWith("DEADLINE_EXCEEDED")) {
                assertThat(outcome).isEqualTo(expected(revision));
            }
            outcomes.add(outcome);
        }
        return outcomes;
    }

    private static String expected(long revision) {
        return switch ((int) revision) {
            case 0 -> "100 keys";
            case 60 -> "59 keys";
            case 49 -> "OUT_OF_RANGE: etcdserver: mvcc: required revision has been compacted";
            default -> "OUT_OF_RANGE: etcdserver: mvcc: required revision is a future revision";
        };
    }

    private static String range(KVGrpc.KVBlockingStub kv, long revision) {
        try {
            return kv.range(range(revision, false).getRequestRange()).getCount() + " keys";
        } catch (StatusRuntimeException e) {
            return String.valueOf(e.getMessage());
        }
    }

    private static String read(KVGrpc.KVBlockingStub kv, long revision, boolean serializable) {
        try {
            TxnResponse response = kv.txn(TxnRequest.newBuilder()
                    .addSuccess(range(0, serializable))
                    .addSuccess(range(revision, serializable))
                    .build());
            return response.getResponses(1).getResponseRange().getCount() + " keys";
        } catch (StatusRuntimeException e) {
            return String.valueOf(e.getMessage());
        }
    }
}

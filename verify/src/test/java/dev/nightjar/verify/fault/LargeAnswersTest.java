/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.fault;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import dev.nightjar.api.etcdserverpb.DeleteRangeResponse;
import dev.nightjar.api.etcdserverpb.PutRequest;
import dev.nightjar.api.etcdserverpb.RangeRequest;
import dev.nightjar.api.etcdserverpb.RequestOp;
import dev.nightjar.api.etcdserverpb.TxnRequest;
import dev.nightjar.api.etcdserverpb.TxnResponse;
import dev.nightjar.api.mvccpb.KeyValue;
import dev.nightjar.verify.driver.FreshServer;
import dev.nightjar.verify.driver.OnEveryServer;
import dev.nightjar.verify.driver.ServerKind;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers of transactions and deletes that are larger than what a small server could hold of them: with a heap of 256 MiB
 * they all come, whole and right, and others are served meanwhile.
 */
@OnEveryServer
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class LargeAnswersTest {
    private static final Logger LOG = LoggerFactory.getLogger(LargeAnswersTest.class);

    /** Copied as objects, what is deleted would take half of the heap. */
    private static final int KEYS = Integer.getInteger("nightjar.verify.keys", 300_000);

    private static final int LARGE_VALUES = 8;
    private static final int LARGE_VALUE = 1_400_000;
    /** Each is answered with eight large values, eleven megabytes. */
    private static final int PARALLEL_READS = 100;

    @RegisterExtension
    final FreshServer fresh;

    LargeAnswersTest(ServerKind kind) {
        fresh = new FreshServer(kind, "-Xmx256m", ManyKeys.FLAG);
    }

    private static ByteString key(String key) {
        return ByteString.copyFromUtf8(key);
    }

    private static RequestOp range(String from, String end) {
        return RequestOp.newBuilder()
                .setRequestRange(RangeRequest.newBuilder().setKey(key(from)).setRangeEnd(key(end)))
                .build();
    }

    private static void assertAllOf(List<KeyValue> kvs) {
        assertThat(kvs).hasSize(KEYS);
        for (int i = 0; i < KEYS; i++) {
            if (!kvs.get(i).getKey().equals(ManyKeys.key(i))
                    || !kvs.get(i).getValue().equals(ManyKeys.VALUE)) {
                throw new AssertionError(
                        "at " + i + " came " + kvs.get(i).getKey().toStringUtf8());
            }
        }
    }

    private OtherWriter otherWriter() {
        return new OtherWriter(fresh.server().endpoint());
    }

    private void assertServed(OtherWriter other, String beside) {
        long longest = other.longestMillis();
        LOG.info("{}: beside {} a put took {} ms at most", fresh.kind(), beside, longest);
        if (fresh.kind() == ServerKind.NIGHTJAR) {
            assertThat(longest).isLessThan(other.boundMillis());
        }
    }

    @Test
    void a_delete_tells_everything_that_it_has_deleted() throws Exception {
        ManyKeys.write(fresh.api(), KEYS);
        try (OtherWriter other = otherWriter()) {
            long begin = System.nanoTime();
            DeleteRangeResponse response = fresh.api()
                    .kv()
                    .deleteRange(ManyKeys.delete().setPrevKv(true).build());
            LOG.info(
                    "{}: {} keys deleted and told in {} ms",
                    fresh.kind(),
                    KEYS,
                    TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin));
            assertThat(response.getDeleted()).isEqualTo(KEYS);
            assertAllOf(response.getPrevKvsList());
            assertServed(other, "a large delete");
        }
        assertThat(fresh.api().revision()).isGreaterThan(1);
    }

    @Test
    void a_transaction_lists_everything_between_its_writes() throws Exception {
        ManyKeys.write(fresh.api(), KEYS);
        try (OtherWriter other = otherWriter()) {
            TxnResponse response = fresh.api()
                    .kv()
                    .txn(TxnRequest.newBuilder()
                            .addSuccess(RequestOp.newBuilder()
                                    .setRequestPut(PutRequest.newBuilder().setKey(key("k/9"))))
                            .addSuccess(range("k/", "k/9"))
                            .addSuccess(RequestOp.newBuilder()
                                    .setRequestPut(PutRequest.newBuilder().setKey(key("k/8"))))
                            .build());
            assertAllOf(response.getResponses(1).getResponseRange().getKvsList());
            assertServed(other, "a large list in a transaction");
        }
    }

    @Test
    void many_large_reads_at_once_wait_for_one_another() throws Exception {
        TxnRequest.Builder reads = TxnRequest.newBuilder();
        for (int i = 0; i < LARGE_VALUES; i++) {
            fresh.api().put(key("large" + i), ByteString.copyFrom(new byte[LARGE_VALUE]));
            reads.addSuccess(range("large" + i, ""));
        }
        List<Future<TxnResponse>> calls = new ArrayList<>();
        for (int i = 0; i < PARALLEL_READS; i++) {
            calls.add(
                    fresh.api().asyncKv().withDeadlineAfter(5, TimeUnit.MINUTES).txn(reads.build()));
        }
        // Taken out one by one, so that what has been looked at can go.
        while (!calls.isEmpty()) {
            TxnResponse response = calls.removeFirst().get();
            assertThat(response.getResponsesList())
                    .hasSize(LARGE_VALUES)
                    .allMatch(
                            each -> each.getResponseRange().getKvs(0).getValue().size() == LARGE_VALUE);
        }
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.fault;

import com.google.protobuf.ByteString;
import dev.nightjar.api.etcdserverpb.DeleteRangeRequest;
import dev.nightjar.api.etcdserverpb.PutRequest;
import dev.nightjar.api.etcdserverpb.RequestOp;
import dev.nightjar.api.etcdserverpb.TxnRequest;
import dev.nightjar.api.etcdserverpb.TxnResponse;
import dev.nightjar.verify.driver.ApiClient;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;

/** A range of many keys, all with the same value; written in large transactions, for which the server needs {@link #FLAG}. */
final class ManyKeys {
    private static final int KEYS_OF_A_TRANSACTION = 10_000;
    private static final int IN_FLIGHT = 4;

    static final String FLAG = "--max-txn-ops=" + KEYS_OF_A_TRANSACTION;
    static final String PREFIX = "k/";
    static final ByteString VALUE = ByteString.copyFromUtf8("v".repeat(100));

    private ManyKeys() {}

    static ByteString key(int number) {
        return ByteString.copyFromUtf8("%s%08d".formatted(PREFIX, number));
    }

    static ByteString from() {
        return ByteString.copyFromUtf8(PREFIX);
    }

    static ByteString end() {
        return ApiClient.prefixEnd(from());
    }

    static DeleteRangeRequest.Builder delete() {
        return DeleteRangeRequest.newBuilder().setKey(from()).setRangeEnd(end());
    }

    static void write(ApiClient api, int count) throws ExecutionException, InterruptedException {
        List<Future<TxnResponse>> written = new ArrayList<>();
        for (int first = 0; first < count; first += KEYS_OF_A_TRANSACTION) {
            TxnRequest.Builder txn = TxnRequest.newBuilder();
            for (int i = first; i < Math.min(count, first + KEYS_OF_A_TRANSACTION); i++) {
                txn.addSuccess(RequestOp.newBuilder()
                        .setRequestPut(PutRequest.newBuilder().setKey(key(i)).setValue(VALUE)));
            }
            written.add(api.asyncKv().txn(txn.build()));
            if (written.size() == IN_FLIGHT) {
                var _ = written.removeFirst().get();
            }
        }
        for (Future<TxnResponse> each : written) {
            var _ = each.get();
        }
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.apply;

import com.google.protobuf.ByteString;
import dev.nightjar.api.etcdserverpb.Compare;
import dev.nightjar.api.etcdserverpb.DeleteRangeRequest;
import dev.nightjar.api.etcdserverpb.PutRequest;
import dev.nightjar.api.etcdserverpb.RangeRequest;
import dev.nightjar.api.etcdserverpb.RequestOp;
import dev.nightjar.api.etcdserverpb.TxnRequest;
import java.util.List;

/** Short forms for requests in tests; {@code \0} in a range end is the open end. */
final class Requests {
    private Requests() {}

    static ByteString b(String text) {
        return ByteString.copyFromUtf8(text);
    }

    static PutRequest.Builder put(String key, String value) {
        return PutRequest.newBuilder().setKey(b(key)).setValue(b(value));
    }

    static RequestOp putOp(String key) {
        return RequestOp.newBuilder().setRequestPut(put(key, "v")).build();
    }

    static RequestOp op(PutRequest.Builder put) {
        return RequestOp.newBuilder().setRequestPut(put).build();
    }

    static RequestOp op(RangeRequest.Builder range) {
        return RequestOp.newBuilder().setRequestRange(range).build();
    }

    static RangeRequest.Builder range(String key, String end) {
        return RangeRequest.newBuilder().setKey(b(key)).setRangeEnd(b(end));
    }

    static RequestOp rangeOp(String key, String end) {
        return op(range(key, end));
    }

    static RequestOp deleteOp(String key, String end) {
        return RequestOp.newBuilder()
                .setRequestDeleteRange(
                        DeleteRangeRequest.newBuilder().setKey(b(key)).setRangeEnd(b(end)))
                .build();
    }

    static TxnRequest txn(List<RequestOp> success, List<RequestOp> failure) {
        return TxnRequest.newBuilder()
                .addAllSuccess(success)
                .addAllFailure(failure)
                .build();
    }

    static TxnRequest txn(RequestOp... success) {
        return txn(List.of(success), List.of());
    }

    static RequestOp nested(List<RequestOp> success, List<RequestOp> failure) {
        return nested(txn(success, failure));
    }

    static RequestOp nested(TxnRequest txn) {
        return RequestOp.newBuilder().setRequestTxn(txn).build();
    }

    static Compare.Builder compare(String key, Compare.CompareTarget target, Compare.CompareResult result) {
        return Compare.newBuilder().setKey(b(key)).setTarget(target).setResult(result);
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.apply;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.nightjar.api.etcdserverpb.RangeRequest;
import dev.nightjar.api.etcdserverpb.RangeResponse;
import dev.nightjar.api.etcdserverpb.ResponseHeader;
import dev.nightjar.api.mvccpb.KeyValue;
import dev.nightjar.core.mvcc.KvView;
import dev.nightjar.core.mvcc.RangeResult;

/** The answers inside a transaction's answer. Stateless. */
final class TxnReplies {
    private TxnReplies() {}

    /** Headers inside a transaction carry the revision only. */
    static ResponseHeader header(long revision) {
        return ResponseHeader.newBuilder().setRevision(revision).build();
    }

    static RangeResponse range(RangeRequest request, RangeResult result, long revision, AnswerShare share) {
        RangeResponse.Builder response = RangeResponse.newBuilder()
                .setHeader(header(revision))
                .setCount(result.count())
                .setMore(result.more());
        for (KvView kv : result.kvs()) {
            if (!share.take(request.getKeysOnly() ? kv.encodedLengthWithoutValue() : kv.encodedLength())) {
                break;
            }
            KeyValue keyValue = keyValue(kv);
            response.addKvs(
                    request.getKeysOnly() ? keyValue.toBuilder().clearValue().build() : keyValue);
        }
        return response.build();
    }

    static KeyValue keyValue(KvView kv) {
        try {
            return KeyValue.parseFrom(kv.encoded());
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException("the store holds a key-value that cannot be read", e);
        }
    }
}

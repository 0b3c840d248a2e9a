/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import dev.nightjar.api.etcdserverpb.DeleteRangeRequest;
import dev.nightjar.api.etcdserverpb.RequestOp;
import dev.nightjar.api.etcdserverpb.TxnRequest;
import dev.nightjar.core.mvcc.MvccStore;
import dev.nightjar.core.mvcc.WriteTxn;
import dev.nightjar.core.storage.FileSystem;
import dev.nightjar.core.storage.SegmentLog;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class DeleteLimitTest {
    private static final DeleteRangeRequest ALL = DeleteRangeRequest.newBuilder()
            .setKey(ByteString.copyFrom(new byte[1]))
            .setRangeEnd(ByteString.copyFrom(new byte[1]))
            .build();

    private static RequestOp op(DeleteRangeRequest request) {
        return RequestOp.newBuilder().setRequestDeleteRange(request).build();
    }

    @Test
    void theKeysOfOneRequestCountTogetherAndThoseOfTheDearerBranch(@TempDir Path directory) throws IOException {
        try (MvccStore store = MvccStore.open(SegmentLog.open(
                new SegmentLog.Options(FileSystem.real(), directory, SegmentLog.SEGMENT_BYTES, 1, Runnable::run)))) {
            WriteTxn txn = store.begin();
            for (int i = 1; i <= 10; i++) {
                txn.put(new byte[] {(byte) i}, ByteBuffer.allocate(1), 0);
            }
            txn.end();
            store.commit(1, 1);
            store.publish();
            assertThat(new DeleteLimit(10).isExceededBy(ALL, store)).isFalse();
            assertThat(new DeleteLimit(9).isExceededBy(ALL, store)).isTrue();
            DeleteRangeRequest one =
                    DeleteRangeRequest.newBuilder().setKey(ALL.getKey()).build();
            assertThat(new DeleteLimit(1).isExceededBy(one, store)).isFalse();
            TxnRequest inner = TxnRequest.newBuilder()
                    .addFailure(op(ALL))
                    .addFailure(op(one))
                    .build();
            TxnRequest outer = TxnRequest.newBuilder()
                    .addSuccess(op(one))
                    .addFailure(RequestOp.newBuilder().setRequestTxn(inner))
                    .build();
            assertThat(new DeleteLimit(11).isExceededBy(outer, store)).isFalse();
            assertThat(new DeleteLimit(10).isExceededBy(outer, store)).isTrue();
        }
    }

    @Test
    void aHeapOf256MibLetsAMillionKeysGo() {
        assertThat(DeleteLimit.ofHeap(256L << 20).most()).isEqualTo(1 << 20);
    }
}

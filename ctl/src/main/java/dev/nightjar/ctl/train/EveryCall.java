/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.ctl.train;

import com.google.protobuf.ByteString;
import dev.nightjar.api.etcdserverpb.AlarmRequest;
import dev.nightjar.api.etcdserverpb.ClusterGrpc;
import dev.nightjar.api.etcdserverpb.CompactionRequest;
import dev.nightjar.api.etcdserverpb.DefragmentRequest;
import dev.nightjar.api.etcdserverpb.DeleteRangeRequest;
import dev.nightjar.api.etcdserverpb.HashKVRequest;
import dev.nightjar.api.etcdserverpb.HashRequest;
import dev.nightjar.api.etcdserverpb.KVGrpc;
import dev.nightjar.api.etcdserverpb.KVGrpc.KVBlockingStub;
import dev.nightjar.api.etcdserverpb.MaintenanceGrpc;
import dev.nightjar.api.etcdserverpb.MaintenanceGrpc.MaintenanceBlockingStub;
import dev.nightjar.api.etcdserverpb.MemberListRequest;
import dev.nightjar.api.etcdserverpb.PutRequest;
import dev.nightjar.api.etcdserverpb.RangeRequest;
import dev.nightjar.api.etcdserverpb.RequestOp;
import dev.nightjar.api.etcdserverpb.StatusRequest;
import dev.nightjar.api.etcdserverpb.TxnRequest;
import io.grpc.Channel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;

/**
 * Makes every other call once, so that its first one on a running server loads nothing: that would take some ten
 * milliseconds, during which everybody else on the same event loop waits.
 */
final class EveryCall {
    private static final ByteString KEY = ByteString.copyFromUtf8("rehearsal/every/a");
    private static final ByteString END = ByteString.copyFromUtf8("rehearsal/every0");
    private static final ByteString WITHOUT_END = ByteString.copyFrom(new byte[1]);

    private final KVBlockingStub keys;
    private final MaintenanceBlockingStub maintenance;
    private final ClusterGrpc.ClusterBlockingStub cluster;

    EveryCall(Channel server) {
        keys = KVGrpc.newBlockingStub(server);
        maintenance = MaintenanceGrpc.newBlockingStub(server);
        cluster = ClusterGrpc.newBlockingStub(server);
    }

    void run() {
        keys.put(PutRequest.newBuilder().setKey(KEY).setPrevKv(true).build());
        long revision = keys.put(
                        PutRequest.newBuilder().setKey(KEY).setPrevKv(true).build())
                .getHeader()
                .getRevision();
        ranges(revision - 1);
        refused();
        transactions();
        maintenance.alarm(AlarmRequest.getDefaultInstance());
        maintenance.status(StatusRequest.getDefaultInstance());
        cluster.memberList(MemberListRequest.getDefaultInstance());
        keys.compact(CompactionRequest.newBuilder().setRevision(revision / 2).build());
        keys.compact(CompactionRequest.newBuilder()
                .setRevision(revision)
                .setPhysical(true)
                .build());
        maintenance.hash(HashRequest.getDefaultInstance());
        maintenance.hashKV(HashKVRequest.getDefaultInstance());
        maintenance.defragment(DefragmentRequest.getDefaultInstance());
        keys.deleteRange(DeleteRangeRequest.newBuilder()
                .setKey(KEY)
                .setRangeEnd(END)
                .setPrevKv(true)
                .build());
    }

    private static RangeRequest.Builder range() {
        return RangeRequest.newBuilder().setKey(KEY).setRangeEnd(END);
    }

    private void ranges(long oldRevision) {
        keys.range(range().setCountOnly(true).build());
        keys.range(range().setKeysOnly(true).setLimit(1).build());
        keys.range(range().setRevision(oldRevision).build());
        keys.range(range().setRangeEnd(WITHOUT_END).setLimit(1).build());
        keys.range(range().setMinModRevision(1)
                .setMaxCreateRevision(Long.MAX_VALUE)
                .build());
        for (var target : RangeRequest.SortTarget.values()) {
            if (target != RangeRequest.SortTarget.UNRECOGNIZED) {
                keys.range(range().setSortTarget(target)
                        .setSortOrder(RangeRequest.SortOrder.DESCEND)
                        .build());
            }
        }
        keys.rangeStream(range().build()).forEachRemaining(part -> {});
    }

    /** What is wrong has code of its own. */
    private void refused() {
        try {
            keys.range(range().setRevision(Long.MAX_VALUE).build());
        } catch (StatusRuntimeException e) {
            if (e.getStatus().getCode() != Status.Code.OUT_OF_RANGE) {
                throw e;
            }
        }
    }

    private void transactions() {
        RequestOp range = RequestOp.newBuilder().setRequestRange(range()).build();
        RequestOp delete = RequestOp.newBuilder()
                .setRequestDeleteRange(
                        DeleteRangeRequest.newBuilder().setKey(END).setPrevKv(true))
                .build();
        TxnRequest reading = TxnRequest.newBuilder().addSuccess(range).build();
        keys.txn(reading);
        keys.txn(TxnRequest.newBuilder()
                .addSuccess(range)
                .addSuccess(delete)
                .addSuccess(RequestOp.newBuilder().setRequestTxn(reading))
                .build());
    }
}

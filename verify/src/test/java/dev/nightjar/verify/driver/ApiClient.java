/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.driver;

import com.google.common.util.concurrent.Futures;
import com.google.common.util.concurrent.ListenableFuture;
import com.google.protobuf.ByteString;
import dev.nightjar.api.etcdserverpb.ClusterGrpc;
import dev.nightjar.api.etcdserverpb.CompactionRequest;
import dev.nightjar.api.etcdserverpb.DeleteRangeRequest;
import dev.nightjar.api.etcdserverpb.DeleteRangeResponse;
import dev.nightjar.api.etcdserverpb.KVGrpc;
import dev.nightjar.api.etcdserverpb.MaintenanceGrpc;
import dev.nightjar.api.etcdserverpb.PutRequest;
import dev.nightjar.api.etcdserverpb.PutResponse;
import dev.nightjar.api.etcdserverpb.RangeRequest;
import dev.nightjar.api.etcdserverpb.RequestOp;
import dev.nightjar.api.etcdserverpb.TxnRequest;
import dev.nightjar.api.etcdserverpb.TxnResponse;
import dev.nightjar.api.etcdserverpb.WatchGrpc;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;

/** One connection to a server, through the generated stubs and nothing else; any thread. */
public final class ApiClient implements AutoCloseable {
    /** Longest wait for one answer; the reference answers within milliseconds. */
    public static final long ANSWER_SECONDS = 60;

    private static final int LARGEST_MESSAGE = 256 << 20;

    private static final int TRANSACTIONS_AT_A_TIME = 4;

    /** Fewer than a transaction may have operations, and than the calls that a connection may have. */
    private static final int PUTS_AT_A_TIME = 100;

    /** The key of the "whole key space" range, and the end of every open range. */
    public static final ByteString ZERO = ByteString.copyFrom(new byte[] {0});

    private final ManagedChannel channel;

    public ApiClient(String endpoint) {
        channel = NettyChannelBuilder.forTarget(endpoint)
                .usePlaintext()
                .maxInboundMessageSize(LARGEST_MESSAGE)
                .build();
    }

    public KVGrpc.KVBlockingStub kv() {
        return KVGrpc.newBlockingStub(channel).withDeadlineAfter(ANSWER_SECONDS, TimeUnit.SECONDS);
    }

    public KVGrpc.KVFutureStub asyncKv() {
        return KVGrpc.newFutureStub(channel).withDeadlineAfter(ANSWER_SECONDS, TimeUnit.SECONDS);
    }

    public MaintenanceGrpc.MaintenanceBlockingStub maintenance() {
        return MaintenanceGrpc.newBlockingStub(channel).withDeadlineAfter(ANSWER_SECONDS, TimeUnit.SECONDS);
    }

    public ClusterGrpc.ClusterBlockingStub cluster() {
        return ClusterGrpc.newBlockingStub(channel).withDeadlineAfter(ANSWER_SECONDS, TimeUnit.SECONDS);
    }

    /** A stub for watches, without a deadline. */
    public WatchGrpc.WatchStub watch() {
        return WatchGrpc.newStub(channel);
    }

    /** Puts and returns the new revision. */
    public long put(String key, String value) {
        return put(ByteString.copyFromUtf8(key), ByteString.copyFromUtf8(value));
    }

    /** Puts and returns the new revision. */
    public long put(ByteString key, ByteString value) {
        PutRequest request = PutRequest.newBuilder().setKey(key).setValue(value).build();
        return kv().put(request).getHeader().getRevision();
    }

    /**
     * Puts so many keys, a hundred in a transaction, with a few transactions on their way at a time; returns the new
     * revision.
     */
    public long fill(int count, IntFunction<PutRequest> puts) {
        long revision = 0;
        ArrayDeque<ListenableFuture<TxnResponse>> answers = new ArrayDeque<>();
        for (int i = 0; i < count || !answers.isEmpty(); i += PUTS_AT_A_TIME) {
            if (i < count) {
                TxnRequest.Builder txn = TxnRequest.newBuilder();
                for (int j = i; j < Math.min(count, i + PUTS_AT_A_TIME); j++) {
                    txn.addSuccess(RequestOp.newBuilder().setRequestPut(puts.apply(j)));
                }
                answers.add(asyncKv().txn(txn.build()));
            }
            if (i >= count || answers.size() == TRANSACTIONS_AT_A_TIME) {
                TxnResponse answer = Futures.getUnchecked(answers.remove());
                revision = Math.max(revision, answer.getHeader().getRevision());
            }
        }
        return revision;
    }

    /**
     * Makes so many puts with a revision each, a hundred on their way at a time, so that any of these may come first;
     * returns the new revision.
     */
    public long hurry(int count, IntFunction<PutRequest> puts) {
        long revision = 0;
        for (int i = 0; i < count; i += PUTS_AT_A_TIME) {
            List<ListenableFuture<PutResponse>> answers = new ArrayList<>();
            for (int j = i; j < Math.min(count, i + PUTS_AT_A_TIME); j++) {
                answers.add(asyncKv().put(puts.apply(j)));
            }
            for (ListenableFuture<PutResponse> answer : answers) {
                revision = Math.max(
                        revision, Futures.getUnchecked(answer).getHeader().getRevision());
            }
        }
        return revision;
    }

    public static PutRequest putRequest(String key, ByteString value) {
        return PutRequest.newBuilder()
                .setKey(ByteString.copyFromUtf8(key))
                .setValue(value)
                .build();
    }

    public DeleteRangeResponse delete(String key) {
        return kv().deleteRange(DeleteRangeRequest.newBuilder()
                .setKey(ByteString.copyFromUtf8(key))
                .build());
    }

    public void compact(long revision) {
        var _ = kv().compact(
                        CompactionRequest.newBuilder().setRevision(revision).build());
    }

    /** The current revision of the store. */
    public long revision() {
        RangeRequest nothing =
                RangeRequest.newBuilder().setKey(ZERO).setCountOnly(true).build();
        return kv().range(nothing).getHeader().getRevision();
    }

    /** The end of the range of all keys that begin with {@code prefix}. */
    public static ByteString prefixEnd(ByteString prefix) {
        for (int i = prefix.size() - 1; i >= 0; i--) {
            int unsigned = prefix.byteAt(i) & 0xff;
            if (unsigned < 0xff) {
                return prefix.substring(0, i).concat(ByteString.copyFrom(new byte[] {(byte) (unsigned + 1)}));
            }
        }
        return ZERO;
    }

    @Override
    public void close() {
        channel.shutdownNow();
        try {
            if (!channel.awaitTermination(ANSWER_SECONDS, TimeUnit.SECONDS)) {
                throw new AssertionError("the client's channel did not close");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while closing a channel", e);
        }
    }
}

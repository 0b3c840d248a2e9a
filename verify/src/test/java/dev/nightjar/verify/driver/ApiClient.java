/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.driver;

import com.google.protobuf.ByteString;
import dev.nightjar.api.etcdserverpb.ClusterGrpc;
import dev.nightjar.api.etcdserverpb.CompactionRequest;
import dev.nightjar.api.etcdserverpb.DeleteRangeRequest;
import dev.nightjar.api.etcdserverpb.DeleteRangeResponse;
import dev.nightjar.api.etcdserverpb.KVGrpc;
import dev.nightjar.api.etcdserverpb.MaintenanceGrpc;
import dev.nightjar.api.etcdserverpb.PutRequest;
import dev.nightjar.api.etcdserverpb.RangeRequest;
import dev.nightjar.api.etcdserverpb.WatchGrpc;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import java.util.concurrent.TimeUnit;

/** One connection to a server, through the generated stubs and nothing else; any thread. */
public final class ApiClient implements AutoCloseable {
    /** Longest wait for one answer; the reference answers within milliseconds. */
    public static final long ANSWER_SECONDS = 20;

    private static final int LARGEST_MESSAGE = 256 << 20;

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
            if (!channel.awaitTermination(10, TimeUnit.SECONDS)) {
                throw new AssertionError("the client's channel did not close");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while closing a channel", e);
        }
    }
}

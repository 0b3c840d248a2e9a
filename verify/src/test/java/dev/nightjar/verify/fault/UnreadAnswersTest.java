/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.fault;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import dev.nightjar.api.etcdserverpb.KVGrpc;
import dev.nightjar.api.etcdserverpb.RangeRequest;
import dev.nightjar.api.etcdserverpb.RangeResponse;
import dev.nightjar.verify.driver.ApiClient;
import dev.nightjar.verify.driver.FreshServer;
import dev.nightjar.verify.driver.OnEveryServer;
import dev.nightjar.verify.driver.ServerKind;
import dev.nightjar.verify.driver.ServerMemory;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.netty.NettyChannelBuilder;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A client that asks for much more than it reads. What it costs is bounded on Nightjar; on etcd, which makes every answer
 * at once, the figure is only told. In the end everybody is answered.
 */
@OnEveryServer
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class UnreadAnswersTest {
    private static final Logger LOG = LoggerFactory.getLogger(UnreadAnswersTest.class);

    private static final int VALUE = 1 << 20;
    private static final int KEYS = 30;
    private static final int CALLS = 30;
    private static final int OTHER_CALLS = 200;

    /** Two answers of 30 MiB, those that are being made when they come to be queued, and room for the other client. */
    private static final long BOUND = 200L << 20;

    @RegisterExtension
    final FreshServer fresh;

    UnreadAnswersTest(ServerKind kind) {
        fresh = new FreshServer(kind);
    }

    /** A call of whose answer nothing is taken until it is asked for. */
    private static final class Unread extends ClientCall.Listener<RangeResponse> {
        final CompletableFuture<Integer> keys = new CompletableFuture<>();
        private final ClientCall<RangeRequest, RangeResponse> call;
        private int got;

        Unread(ManagedChannel channel) {
            call = channel.newCall(KVGrpc.getRangeMethod(), CallOptions.DEFAULT);
            call.start(this, new Metadata());
            call.sendMessage(RangeRequest.newBuilder()
                    .setKey(ByteString.copyFromUtf8("big/"))
                    .setRangeEnd(ByteString.copyFromUtf8("big0"))
                    .build());
            call.halfClose();
        }

        void read() {
            call.request(2);
        }

        @Override
        public void onMessage(RangeResponse message) {
            got = message.getKvsCount();
        }

        @Override
        public void onClose(Status status, Metadata trailers) {
            if (status.isOk()) {
                keys.complete(got);
            } else {
                keys.completeExceptionally(status.asRuntimeException());
            }
        }
    }

    @Test
    void a_client_that_does_not_read_takes_little_memory_and_is_served_once_it_does() throws Exception {
        ByteString value = ByteString.copyFrom(new byte[VALUE]);
        for (int i = 0; i < KEYS; i++) {
            fresh.api().put(ByteString.copyFromUtf8("big/%03d".formatted(i)), value);
        }
        fresh.server().settleMemory();
        long before = ServerMemory.of(fresh.server()).anonymousBytes();
        ManagedChannel channel = NettyChannelBuilder.forTarget(fresh.server().endpoint())
                .usePlaintext()
                .maxInboundMessageSize(64 << 20)
                .build();
        try {
            List<Unread> calls = new ArrayList<>();
            for (int i = 0; i < CALLS; i++) {
                calls.add(new Unread(channel));
            }
            serveAnother();
            long cost = ServerMemory.of(fresh.server()).anonymousBytes() - before;
            LOG.info("{}: {} unread answers of 30 MiB take {} MiB", fresh.kind(), CALLS, cost >> 20);
            if (fresh.kind() == ServerKind.NIGHTJAR) {
                assertThat(cost).isLessThan(BOUND);
            }
            calls.forEach(Unread::read);
            for (Unread call : calls) {
                assertThat(call.keys.get(5, TimeUnit.MINUTES)).isEqualTo(KEYS);
            }
        } finally {
            channel.shutdownNow();
        }
    }

    /** Meanwhile another client is served; by the end of that the first one's calls are where they can get to. */
    private void serveAnother() {
        try (ApiClient other = new ApiClient(fresh.server().endpoint())) {
            for (int i = 0; i < OTHER_CALLS; i++) {
                assertThat(other.put("small", "value " + i)).isPositive();
                assertThat(other.revision()).isPositive();
            }
        }
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import dev.nightjar.api.etcdserverpb.Member;
import dev.nightjar.api.etcdserverpb.WatchCancelRequest;
import dev.nightjar.api.etcdserverpb.WatchCreateRequest;
import dev.nightjar.api.etcdserverpb.WatchGrpc;
import dev.nightjar.api.etcdserverpb.WatchRequest;
import dev.nightjar.api.etcdserverpb.WatchResponse;
import dev.nightjar.consensus.MemberId;
import dev.nightjar.core.watch.WatchLimits;
import dev.nightjar.server.node.Identity;
import dev.nightjar.server.node.Node;
import dev.nightjar.server.node.NodeObservers;
import dev.nightjar.server.node.NodeSettings;
import dev.nightjar.wire.EventLoops;
import dev.nightjar.wire.WireServer;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.StreamObserver;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The watchers that a connection may have, counted over all its streams. */
@Timeout(300)
final class WatcherQuotaTest {
    private static final int MOST = 2;

    @TempDir
    Path directory;

    private final EventLoops loops = EventLoops.create(1);
    private final List<ManagedChannel> channels = new ArrayList<>();
    private Node node;
    private WireServer port;

    @BeforeEach
    void open() throws Exception {
        WatchLimits.Stream stream = WatchLimits.Stream.DEFAULT;
        WatchLimits limits = new WatchLimits(
                WatchLimits.DEFAULT.historyBytes(),
                WatchLimits.Turn.DEFAULT,
                WatchLimits.CatchUp.DEFAULT,
                WatchLimits.Revision.DEFAULT,
                new WatchLimits.Stream(
                        stream.watchersPerStream(),
                        MOST,
                        stream.responseBytes(),
                        stream.fragmentBytes(),
                        stream.canceledIds()),
                WatchLimits.DEFAULT.progressInterval());
        MemberId self = new MemberId(5);
        node = Node.start(
                new NodeSettings(
                        directory.resolve("data"),
                        new Identity(3, self),
                        Member.getDefaultInstance(),
                        List.of(self),
                        new NodeSettings.Timing(Duration.ofMillis(100), Duration.ofMillis(1000)),
                        1 << 30,
                        10_000,
                        limits,
                        false,
                        NodeSettings.Compaction.DEFAULT),
                loops.all(),
                NodeObservers.NONE);
        HeaderWriter headers = new HeaderWriter(3, 5, node::term);
        port = WireServer.builder(loops)
                .listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .raw(WatchGrpc.getWatchMethod().getFullMethodName(), new WatchServer(node, headers)::watch)
                .start();
    }

    @AfterEach
    void close() {
        channels.forEach(ManagedChannel::shutdownNow);
        port.shutdown(Duration.ZERO).join();
        node.close();
        loops.close();
    }

    private ManagedChannel connect() {
        ManagedChannel channel = NettyChannelBuilder.forAddress(port.addresses().getFirst())
                .usePlaintext()
                .build();
        channels.add(channel);
        return channel;
    }

    /** A watch stream that waits for the answer to each request. */
    private static final class Stream implements StreamObserver<WatchResponse> {
        private final BlockingQueue<WatchResponse> responses = new LinkedBlockingQueue<>();
        private final StreamObserver<WatchRequest> requests;

        Stream(ManagedChannel channel) {
            requests = WatchGrpc.newStub(channel).watch(this);
        }

        WatchResponse create() throws InterruptedException {
            requests.onNext(WatchRequest.newBuilder()
                    .setCreateRequest(WatchCreateRequest.newBuilder().setKey(ByteString.copyFromUtf8("k")))
                    .build());
            return responses.take();
        }

        void cancel(long watchId) throws InterruptedException {
            requests.onNext(WatchRequest.newBuilder()
                    .setCancelRequest(WatchCancelRequest.newBuilder().setWatchId(watchId))
                    .build());
            assertThat(responses.take().getCanceled()).isTrue();
        }

        @Override
        public void onNext(WatchResponse response) {
            responses.add(response);
        }

        @Override
        public void onError(Throwable error) {
            // the channel is closed at the test's end
        }

        @Override
        public void onCompleted() {
            // the server ends no watch stream
        }
    }

    @Test
    void streams_of_one_connection_share_the_quota_and_those_of_another_do_not() throws Exception {
        ManagedChannel channel = connect();
        Stream first = new Stream(channel);
        Stream second = new Stream(channel);
        assertThat(first.create().getCanceled()).isFalse();
        assertThat(second.create().getCanceled()).isFalse();
        assertThat(second.create().getCanceled()).as("one more than the limit").isTrue();
        assertThat(new Stream(connect()).create().getCanceled()).isFalse();
        first.cancel(0);
        assertThat(second.create().getCanceled()).as("a place is free").isFalse();
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import dev.nightjar.api.etcdserverpb.AlarmRequest;
import dev.nightjar.api.etcdserverpb.AlarmResponse;
import dev.nightjar.api.etcdserverpb.KVGrpc;
import dev.nightjar.api.etcdserverpb.MaintenanceGrpc;
import dev.nightjar.api.etcdserverpb.PutRequest;
import dev.nightjar.api.etcdserverpb.RangeRequest;
import dev.nightjar.api.etcdserverpb.RangeResponse;
import dev.nightjar.api.etcdserverpb.ResponseHeader;
import dev.nightjar.api.etcdserverpb.WatchCreateRequest;
import dev.nightjar.api.etcdserverpb.WatchGrpc;
import dev.nightjar.api.etcdserverpb.WatchRequest;
import dev.nightjar.api.etcdserverpb.WatchResponse;
import dev.nightjar.api.mvccpb.Event;
import dev.nightjar.server.config.ServerConfig;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.StreamObserver;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(300)
final class NightjarTest {
    @TempDir
    Path directory;

    private final List<ManagedChannel> channels = new ArrayList<>();

    @AfterEach
    void closeClients() {
        channels.forEach(ManagedChannel::shutdownNow);
    }

    private ServerConfig config(String address) throws Exception {
        return config(address, "127.0.0.1:0");
    }

    private ServerConfig config(String address, String peerAddress) throws Exception {
        return ServerConfig.of(flags(address, peerAddress));
    }

    private Map<String, String> flags(String address, String peerAddress) {
        return Map.of(
                "listen-peer-urls",
                "http://" + peerAddress,
                "data-dir",
                directory.resolve("data").toString(),
                "listen-client-urls",
                "http://" + address,
                "advertise-client-urls",
                "http://" + address);
    }

    private Nightjar start() throws Exception {
        return Nightjar.start(config("127.0.0.1:0"));
    }

    private ManagedChannel connect(Nightjar server) {
        ManagedChannel channel = NettyChannelBuilder.forAddress(
                        server.clientAddresses().getFirst())
                .usePlaintext()
                .build();
        channels.add(channel);
        return channel;
    }

    private static ByteString bytes(String text) {
        return ByteString.copyFromUtf8(text);
    }

    private static ResponseHeader put(ManagedChannel channel, String key, String value) {
        return KVGrpc.newBlockingStub(channel)
                .put(PutRequest.newBuilder()
                        .setKey(bytes(key))
                        .setValue(bytes(value))
                        .build())
                .getHeader();
    }

    private static RangeResponse get(ManagedChannel channel, String key) {
        return KVGrpc.newBlockingStub(channel)
                .range(RangeRequest.newBuilder().setKey(bytes(key)).build());
    }

    /** The client's end of a watch stream. */
    private static final class Watching implements StreamObserver<WatchResponse> {
        final BlockingQueue<WatchResponse> responses = new LinkedBlockingQueue<>();
        final CompletableFuture<Status> ended = new CompletableFuture<>();

        @Override
        public void onNext(WatchResponse response) {
            responses.add(response);
        }

        @Override
        public void onError(Throwable error) {
            ended.complete(Status.fromThrowable(error));
        }

        @Override
        public void onCompleted() {
            ended.complete(Status.OK);
        }
    }

    private static Watching watch(ManagedChannel channel, String key) throws InterruptedException {
        Watching watching = new Watching();
        WatchGrpc.newStub(channel)
                .watch(watching)
                .onNext(WatchRequest.newBuilder()
                        .setCreateRequest(WatchCreateRequest.newBuilder()
                                .setKey(bytes(key))
                                .setPrevKv(true))
                        .build());
        assertThat(watching.responses.take().getCreated()).isTrue();
        return watching;
    }

    @Test
    void what_is_put_can_be_read_and_is_told_to_watchers() throws Exception {
        try (Nightjar server = start()) {
            ManagedChannel channel = connect(server);
            Watching watching = watch(channel, "k");
            assertThat(put(channel, "k", "1").getRevision()).isEqualTo(2);
            assertThat(put(channel, "k", "2").getRevision()).isEqualTo(3);
            RangeResponse read = get(channel, "k");
            assertThat(read.getHeader().getRevision()).isEqualTo(3);
            assertThat(read.getKvs(0).getValue()).isEqualTo(bytes("2"));
            List<Event> events = new ArrayList<>();
            while (events.size() < 2) {
                events.addAll(watching.responses.take().getEventsList());
            }
            assertThat(events.get(0).getKv().getModRevision()).isEqualTo(2);
            assertThat(events.get(1).getKv()).isEqualTo(read.getKvs(0));
            assertThat(events.get(1).getPrevKv().getValue()).isEqualTo(bytes("1"));
        }
    }

    @Test
    void a_restart_keeps_identity_and_data() throws Exception {
        ResponseHeader before;
        try (Nightjar server = start()) {
            before = put(connect(server), "k", "1");
        }
        try (Nightjar server = start()) {
            RangeResponse read = get(connect(server), "k");
            assertThat(read.getKvs(0).getValue()).isEqualTo(bytes("1"));
            assertThat(read.getHeader().getRevision()).isEqualTo(before.getRevision());
            assertThat(read.getHeader().getMemberId()).isEqualTo(before.getMemberId());
            assertThat(read.getHeader().getClusterId()).isEqualTo(before.getClusterId());
            assertThat(read.getHeader().getRaftTerm()).isGreaterThanOrEqualTo(before.getRaftTerm());
        }
    }

    @Test
    void a_port_in_use_is_told_and_leaves_the_directory_free() throws Exception {
        try (ServerSocket taken = new ServerSocket()) {
            taken.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            ServerConfig config = config("127.0.0.1:" + taken.getLocalPort());
            assertThatThrownBy(() -> Nightjar.start(config))
                    .isInstanceOf(StartFailure.class)
                    .hasMessageContaining(String.valueOf(taken.getLocalPort()))
                    .hasMessageContaining("address already in use");
        }
        start().close();
    }

    @Test
    void a_peer_port_in_use_is_told_and_leaves_nothing_behind() throws Exception {
        try (ServerSocket taken = new ServerSocket()) {
            taken.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            ServerConfig config = config("127.0.0.1:0", "127.0.0.1:" + taken.getLocalPort());
            assertThatThrownBy(() -> Nightjar.start(config))
                    .isInstanceOf(StartFailure.class)
                    .hasMessage("listen tcp 127.0.0.1:" + taken.getLocalPort() + ": bind: address already in use");
        }
        start().close();
        awaitNoOwnThreads();
    }

    @Test
    void a_peer_url_that_needs_a_certificate_is_refused() throws Exception {
        ServerConfig config = ServerConfig.of(
                Map.of("data-dir", directory.resolve("data").toString(), "listen-peer-urls", "https://127.0.0.1:0"));
        assertThatThrownBy(() -> Nightjar.start(config))
                .isInstanceOf(StartFailure.class)
                .hasMessage("cannot listen on TLS for 127.0.0.1:0: KeyFile and CertFile are not presented");
    }

    @Test
    void the_peer_port_serves_version_and_members_and_nothing_else() throws Exception {
        try (Nightjar server = start();
                HttpClient client = HttpClient.newHttpClient()) {
            String peer = server.peerUrls().getFirst().toString();
            assertThat(page(client, peer + "/version").body())
                    .isEqualTo("{\"etcdserver\":\"3.7.3\",\"etcdcluster\":\"3.7.0\",\"storage\":\"3.7.0\"}");
            HttpResponse<String> members = page(client, peer + "/members");
            String address = server.clientUrls().getFirst().toString();
            assertThat(address).doesNotEndWith(":0");
            assertThat(members.body())
                    .isEqualTo("[{\"id\":" + Long.toUnsignedString(Long.parseUnsignedLong(server.memberId(), 16))
                            + ",\"peerURLs\":[\"http://localhost:2380\"],\"name\":\"default\","
                            + "\"clientURLs\":[\"http://127.0.0.1:0\"]}]\n");
            assertThat(members.headers().firstValue("x-etcd-cluster-id")).isPresent();
            assertThat(page(client, peer + "/health").statusCode()).isEqualTo(404);
        }
    }

    private static HttpResponse<String> page(HttpClient client, String url) throws Exception {
        return client.send(HttpRequest.newBuilder(URI.create(url)).build(), HttpResponse.BodyHandlers.ofString());
    }

    /** Waits until none of the server's threads is left: one has left its pool a moment before it ends. */
    private static void awaitNoOwnThreads() {
        long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
        while (!ownThreads().isEmpty()) {
            assertThat(System.nanoTime())
                    .as("threads that stay: %s", ownThreads())
                    .isLessThan(end);
            Thread.onSpinWait();
        }
    }

    private static List<String> ownThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(Thread::isAlive)
                .map(Thread::getName)
                .filter(name -> name.startsWith("nightjar-"))
                .toList();
    }

    @Test
    void a_second_server_on_the_same_directory_is_refused() throws Exception {
        try (Nightjar server = start()) {
            assertThatThrownBy(this::start)
                    .isInstanceOf(StartFailure.class)
                    .hasMessageContaining("is used by another process");
            assertThat(put(connect(server), "k", "1").getRevision()).isEqualTo(2);
        }
    }

    @Test
    void closing_frees_the_port_and_leaves_no_thread_behind() throws Exception {
        Nightjar server = start();
        InetSocketAddress address = (InetSocketAddress) server.clientAddresses().getFirst();
        put(connect(server), "k", "1");
        server.close();
        server.close();
        try (ServerSocket again = new ServerSocket()) {
            again.setReuseAddress(true);
            again.bind(address);
        }
        awaitNoOwnThreads();
    }

    @Test
    void an_idle_watch_does_not_hold_up_the_end_and_sees_the_server_go() throws Exception {
        Map<String, String> flags = new HashMap<>(flags("127.0.0.1:0", "127.0.0.1:0"));
        // Calls under way may end for twice as long and five seconds.
        flags.put("election-timeout", "20000");
        Nightjar server = Nightjar.start(ServerConfig.of(flags));
        Watching watching = watch(connect(server), "k");
        long startNanos = System.nanoTime();
        server.close();
        assertThat(System.nanoTime() - startNanos).isLessThan(TimeUnit.SECONDS.toNanos(30));
        assertThat(watching.ended.get().getCode()).isEqualTo(Status.Code.UNAVAILABLE);
    }

    @Test
    void an_alarm_that_the_server_has_no_name_for_does_it_no_harm() throws Exception {
        try (Nightjar server = start()) {
            ManagedChannel channel = connect(server);
            AlarmResponse answer = MaintenanceGrpc.newBlockingStub(channel)
                    .alarm(AlarmRequest.newBuilder()
                            .setAction(AlarmRequest.AlarmAction.ACTIVATE)
                            .setAlarmValue(99)
                            .build());
            assertThat(answer.getAlarmsList()).isEmpty();
            assertThat(put(channel, "k", "1").getRevision()).isEqualTo(2);
            assertThat(server.stopped()).isNotDone();
        }
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.grpc.CallOptions;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.stub.ClientCalls;
import io.netty.channel.unix.DomainSocketAddress;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Opening, draining and closing ports. */
@ExtendWith(LeakCheck.class)
class LifecycleTest {

    @Test
    void a_busy_port_is_named_in_the_words_that_operators_know() throws Exception {
        try (var port = TestPort.open();
                var loops = EventLoops.create(1)) {
            var address = port.address();
            var failure = catchThrowableOfType(
                    ListenException.class,
                    () -> WireServer.builder(loops).listen(address).start());
            assertThat(failure)
                    .hasMessage("listen tcp 127.0.0.1:" + address.getPort() + ": bind: address already in use");
            assertThat(failure.address()).isEqualTo(address);
        }
    }

    @Test
    void a_busy_port_is_named_the_same_on_nio() throws Exception {
        try (var port = TestPort.open();
                var loops = EventLoops.createNio(1)) {
            var address = port.address();
            assertThatThrownBy(() -> WireServer.builder(loops).listen(address).start())
                    .isInstanceOf(ListenException.class)
                    .hasMessage("listen tcp 127.0.0.1:" + address.getPort() + ": bind: address already in use");
        }
    }

    @Test
    void a_failed_address_closes_those_opened_before_it(@TempDir Path dir) throws Exception {
        try (var port = TestPort.open();
                var loops = EventLoops.create(1)) {
            var busy = port.address();
            Path file = dir.resolve("socket");
            var first = new DomainSocketAddress(file.toString());
            assertThatThrownBy(() ->
                            WireServer.builder(loops).listen(first).listen(busy).start())
                    .isInstanceOf(ListenException.class)
                    .hasMessageContaining(":" + busy.getPort());
            assertThatThrownBy(() ->
                            SocketChannel.open(UnixDomainSocketAddress.of(file)).close())
                    .isInstanceOf(java.net.SocketException.class);
        }
    }

    @Test
    void an_unknown_host_is_not_listened_on() {
        try (var loops = EventLoops.create(1)) {
            assertThatThrownBy(() -> WireServer.builder(loops)
                            .listen(InetSocketAddress.createUnresolved("no-such-host.invalid", 1))
                            .start())
                    .isInstanceOf(ListenException.class)
                    .hasMessage("listen tcp no-such-host.invalid:1: lookup no-such-host.invalid: no such host");
        }
    }

    @Test
    void all_loops_exist_before_the_port_and_bear_names() throws Exception {
        try (var loops = EventLoops.create(3)) {
            assertThat(loops.all()).hasSize(3);
            for (int i = 0; i < 3; i++) {
                String name = loops.all()
                        .get(i)
                        .submit(() -> Thread.currentThread().getName())
                        .get(60, TimeUnit.SECONDS);
                assertThat(name).isEqualTo("nightjar-loop-" + i);
            }
        }
    }

    @Test
    void connections_are_spread_over_all_loops() throws Exception {
        var loops = EventLoops.create(2);
        try (var port = TestPort.openOn(loops, builder -> builder)) {
            for (int i = 0; i < 8; i++) {
                port.raw().greet().headers(1, H2Client.grpc("/test.Echo/Hang"), false);
            }
            var used = new java.util.HashSet<Object>();
            for (int i = 0; i < 8; i++) {
                RawCall call = port.echo.hanging.poll(60, TimeUnit.SECONDS);
                assertThat(call).isNotNull();
                used.add(call.loop());
            }
            assertThat(used).hasSize(2);
        }
    }

    @Test
    void unix_sockets_serve_and_replace_a_left_over_file(@TempDir Path dir) throws Exception {
        for (boolean epoll : new boolean[] {true, false}) {
            Path file = dir.resolve("socket");
            try (var stale = java.nio.channels.ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
                stale.bind(UnixDomainSocketAddress.of(file));
            }
            assertThat(Files.exists(file)).isTrue();
            EventLoops loops = epoll ? EventLoops.create(1) : EventLoops.createNio(1);
            var address = new DomainSocketAddress(file.toString());
            try (var port = TestPort.openOn(loops, builder -> builder.listen(address))) {
                assertThat(port.server.addresses()).hasSize(2).contains(address);
                assertThat(get(file)).startsWith("HTTP/1.1 404 ");
            }
            assertThat(Files.exists(file)).as("removed at the end").isFalse();
        }
    }

    private static String get(Path file) throws Exception {
        try (var client = SocketChannel.open(UnixDomainSocketAddress.of(file))) {
            client.write(ByteBuffer.wrap(
                    "GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n".getBytes(StandardCharsets.US_ASCII)));
            ByteBuffer answer = ByteBuffer.allocate(4096);
            while (client.read(answer) >= 0) {
                assertThat(answer.hasRemaining()).isTrue();
            }
            return new String(answer.array(), 0, answer.position(), StandardCharsets.US_ASCII);
        }
    }

    @Test
    void a_port_that_stops_listening_keeps_its_connections() throws Exception {
        try (var port = TestPort.open()) {
            var client = port.raw().greet();
            client.settle();
            port.server.stopListening();
            assertThatThrownBy(port::raw).isInstanceOf(ConnectException.class);
            client.call(1, "/test.Echo/Unary", Bytes.of("x"));
            assertThat(client.answer(1).status()).isEqualTo("0");
        }
    }

    @Test
    void a_graceful_end_lets_calls_finish_and_takes_those_on_their_way() throws Exception {
        int rounds = 1;
        while (!endsGracefully()) {
            assertThat(rounds++).as("rounds in which this client was too slow").isLessThan(50);
        }
    }

    /** Returns false if this client took so long that the server needed not wait for what was on its way any more. */
    private static boolean endsGracefully() throws Exception {
        try (var port = TestPort.open()) {
            var client = port.raw().greet();
            client.headers(1, H2Client.grpc("/test.Echo/Bidi"), false);
            client.settle();

            long begin = System.nanoTime();
            var done = port.server.shutdown(Duration.ofMinutes(1));
            H2Client.Frame first = client.await(H2Client.GOAWAY);
            assertThat(first.intAt(0)).isEqualTo(Integer.MAX_VALUE);
            client.call(3, "/test.Echo/Unary", Bytes.of("on its way"));
            H2Client.Frame ping = client.await(H2Client.PING);
            client.frame(H2Client.PING, H2Client.ACK, 0, ping.payload());
            if (System.nanoTime() - begin > ConnectionDrain.ANNOUNCE_NANOS / 2) {
                return false;
            }
            boolean answered = false;
            int lastStream = 0;
            while (!answered || lastStream == 0) {
                H2Client.Frame frame = client.next();
                answered |= frame.stream() == 3 && "0".equals(frame.headers().get("grpc-status"));
                lastStream = frame.type() == H2Client.GOAWAY ? frame.intAt(0) : lastStream;
            }
            assertThat(lastStream).isEqualTo(3);
            assertThat(done).isNotDone();

            client.data(1, Bytes.framed(Bytes.of("last words")), true);
            assertThat(client.answer(1).status()).isEqualTo("0");
            client.awaitEnd();
            done.get(60, TimeUnit.SECONDS);
            return true;
        }
    }

    @Test
    void at_the_deadline_what_is_left_is_cut_off_and_told() throws Exception {
        try (var port = TestPort.open()) {
            var client = port.raw().greet();
            client.headers(1, H2Client.grpc("/test.Echo/Hang"), false);
            client.settle();
            var done = port.server.shutdown(Duration.ofMillis(100));
            client.awaitEnd();
            done.get(60, TimeUnit.SECONDS);
            assertThat(port.echo.cancels.poll(60, TimeUnit.SECONDS)).isNotNull();
        }
    }

    @Test
    void idle_connections_of_every_kind_end_at_once() throws Exception {
        try (var port = TestPort.open()) {
            var silent = port.raw();
            var h2 = port.raw().greet();
            h2.settle();
            var done = port.server.shutdown(Duration.ofMinutes(1));
            silent.awaitEnd();
            H2Client.Frame ping = h2.await(H2Client.PING);
            h2.frame(H2Client.PING, H2Client.ACK, 0, ping.payload());
            h2.awaitEnd();
            done.get(60, TimeUnit.SECONDS);
        }
    }

    @Test
    void a_client_that_does_not_answer_the_goodbye_is_let_go_all_the_same() throws Exception {
        try (var port = TestPort.open()) {
            var client = port.raw().greet();
            client.settle();
            var done = port.server.shutdown(Duration.ofMinutes(1));
            client.await(H2Client.PING);
            client.awaitEnd();
            done.get(60, TimeUnit.SECONDS);
        }
    }

    @Test
    void grpcs_own_client_survives_a_graceful_end() throws Exception {
        try (var port = TestPort.open()) {
            var channel = port.channel();
            var answers = new GrpcCallsTest.Answers();
            var requests =
                    ClientCalls.asyncBidiStreamingCall(channel.newCall(Bytes.BIDI, CallOptions.DEFAULT), answers);
            requests.onNext(Bytes.of("one"));
            assertThat(ClientCalls.blockingUnaryCall(channel, Bytes.UNARY, CallOptions.DEFAULT, new byte[1]))
                    .hasSize(1);
            var done = port.server.shutdown(Duration.ofMinutes(1));
            requests.onNext(Bytes.of("two"));
            requests.onCompleted();
            assertThat(answers.texts()).containsExactly("one", "two");
            done.get(60, TimeUnit.SECONDS);
        }
    }

    @Test
    void a_handler_may_finish_from_another_turn_of_the_loop() throws Exception {
        try (var port = TestPort.open()) {
            var client = port.raw().greet();
            client.headers(1, H2Client.grpc("/test.Echo/Hang"), true);
            RawCall call = port.echo.hanging.poll(60, TimeUnit.SECONDS);
            assertThat(call).isNotNull();
            call.loop().execute(() -> call.finish(Status.ABORTED.withDescription("later"), new Metadata()));
            assertThat(client.answer(1).status()).isEqualTo("10");
            assertThat(port.echo.cancels).isEmpty();
        }
    }
}

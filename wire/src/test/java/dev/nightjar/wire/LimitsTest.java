/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Every limit, reached. */
@ExtendWith(LeakCheck.class)
class LimitsTest {

    private static final int CONTINUATION = 9;
    private static final int PROTOCOL_ERROR = 1;
    private static final int ENHANCE_YOUR_CALM = 11;
    private static final int REFUSED_STREAM = 7;

    private static TestPort withLimits(java.util.function.Consumer<Limits> changes) {
        return TestPort.open(builder -> builder.limits(Limits.with(changes)));
    }

    private static TestPort withTuning(PortTuning tuning) {
        return TestPort.open(builder -> builder.tuning(tuning));
    }

    private static void assertGoaway(H2Client client, int error, String reason) throws IOException {
        H2Client.Frame frame = client.await(H2Client.GOAWAY);
        assertThat(frame.intAt(4)).isEqualTo(error);
        assertThat(new String(frame.payload(), 8, frame.payload().length - 8, StandardCharsets.US_ASCII))
                .contains(reason);
        client.awaitEnd();
    }

    @Test
    void a_list_of_headers_beyond_the_limit_is_answered_431() throws Exception {
        try (var port = withLimits(limits -> limits.maxHeaderListBytes(2000))) {
            var client = port.raw().greet();
            client.headers(1, H2Client.grpc("/test.Echo/Unary").set("x-long", "x".repeat(2000)), true);
            assertThat(client.await(H2Client.HEADERS).headers()).containsEntry(":status", "431");
            client.call(3, "/test.Echo/Unary", Bytes.of("next"));
            assertThat(client.answer(3).status()).isEqualTo("0");
        }
    }

    @Test
    void a_list_of_headers_without_an_end_ends_its_connection_soon_after_the_limit() throws Exception {
        try (var port = TestPort.open(builder -> builder)) {
            var client = port.raw().greet();
            byte[] fragment = new byte[16_000];
            client.frame(H2Client.HEADERS, 0, 1, fragment);
            int limit = WireLimits.defaults().maxHeaderListBytes();
            for (int sent = 0; sent < 2 * limit; sent += fragment.length) {
                client.frame(CONTINUATION, 0, 1, fragment);
            }
            assertGoaway(client, PROTOCOL_ERROR, "Header size exceeded");
        }
    }

    @Test
    void a_call_beyond_the_number_of_streams_is_refused() throws Exception {
        try (var port = withLimits(limits -> limits.maxConcurrentStreams(2))) {
            var client = port.raw().greet();
            client.headers(1, H2Client.grpc("/test.Echo/Hang"), false);
            client.headers(3, H2Client.grpc("/test.Echo/Hang"), false);
            client.headers(5, H2Client.grpc("/test.Echo/Hang"), false);
            H2Client.Frame refused = client.await(H2Client.RST_STREAM);
            assertThat(refused.stream()).isEqualTo(5);
            assertThat(refused.intAt(0)).isEqualTo(REFUSED_STREAM);
            client.reset(1).call(7, "/test.Echo/Unary", Bytes.of("room again"));
            assertThat(client.answer(7).status()).isEqualTo("0");
        }
    }

    @Test
    void a_connection_beyond_the_limit_is_closed_at_once_and_others_live() throws Exception {
        try (var port = withLimits(limits -> limits.maxConnections(2))) {
            var first = port.raw().greet();
            first.settle();
            var second = port.raw().greet();
            second.settle();
            var third = port.raw();
            assertThat(third.socket.getInputStream().read()).isEqualTo(-1);
            first.call(1, "/test.Echo/Unary", Bytes.of("x"));
            assertThat(first.answer(1).status()).isEqualTo("0");

            second.close();
            boolean admitted = false;
            for (int i = 0; i < 100 && !admitted; i++) {
                admitted = tryGreet(port.raw());
            }
            assertThat(admitted).as("a place is free again").isTrue();
        }
    }

    private static boolean tryGreet(H2Client client) throws IOException {
        try {
            return client.greet().read() != null;
        } catch (java.net.SocketException e) {
            return false;
        }
    }

    @Test
    void a_flood_of_resets_ends_the_connection() throws Exception {
        var defaults = PortTuning.defaults();
        assertThat(defaults.rstFrames()).isEqualTo(50_000);
        try (var port =
                withTuning(new PortTuning(defaults.headerTimeout(), defaults.heldBytes(), defaults.answers(), 50))) {
            var client = port.raw().greet();
            for (int i = 0; i < 51; i++) {
                int stream = 2 * i + 1;
                client.headers(stream, H2Client.grpc("/test.Echo/Hang"), false).reset(stream);
            }
            assertGoaway(client, ENHANCE_YOUR_CALM, "RST");
        }
    }

    @Test
    void the_third_ping_too_many_ends_the_connection() throws Exception {
        try (var port = withLimits(limits -> limits.keepaliveMinTime(Duration.ofHours(1)))) {
            var client = port.raw().greet();
            client.headers(1, H2Client.grpc("/test.Echo/Hang"), false);
            client.ping(1).ping(2).ping(3);
            client.settle(); // the fourth ping, which is the third that comes too soon
            assertGoaway(client, ENHANCE_YOUR_CALM, "too_many_pings");
        }
    }

    @Test
    void pings_without_a_call_are_too_many_however_slow() throws Exception {
        try (var port = withLimits(limits -> limits.keepaliveMinTime(Duration.ZERO))) {
            var client = port.raw().greet();
            client.ping(1).ping(2).ping(3).ping(4);
            assertGoaway(client, ENHANCE_YOUR_CALM, "too_many_pings");
        }
    }

    @Test
    void pings_during_a_call_are_welcome_if_they_keep_the_time() throws Exception {
        try (var port = withLimits(limits -> limits.keepaliveMinTime(Duration.ZERO))) {
            var client = port.raw().greet();
            client.headers(1, H2Client.grpc("/test.Echo/Hang"), false);
            for (int i = 0; i < 20; i++) {
                client.settle();
            }
            client.call(3, "/test.Echo/Unary", Bytes.of("x"));
            assertThat(client.answer(3).status()).isEqualTo("0");
        }
    }

    @Test
    void answers_forgive_pings() throws Exception {
        try (var port = withLimits(limits -> limits.keepaliveMinTime(Duration.ofHours(1)))) {
            var client = port.raw().greet();
            client.headers(1, H2Client.grpc("/test.Echo/Bidi"), false);
            for (int i = 0; i < 20; i++) {
                client.data(1, Bytes.framed(Bytes.of("x")), false);
                client.await(H2Client.DATA);
                client.settle();
            }
            client.data(1, new byte[0], true);
            assertThat(client.answer(1).status()).isEqualTo("0");
        }
    }

    @Test
    void requests_that_never_become_whole_are_ended_when_a_connection_holds_too_many() throws Exception {
        var defaults = PortTuning.defaults();
        try (var port = withTuning(
                new PortTuning(defaults.headerTimeout(), 100_000, defaults.answers(), defaults.rstFrames()))) {
            var client = port.raw().greet();
            byte[] part = java.util.Arrays.copyOf(Bytes.framed(new byte[50_000]), 12_000);
            for (int i = 0; i < 9; i++) {
                client.headers(2 * i + 1, H2Client.grpc("/test.Echo/Collect"), false);
                client.data(2 * i + 1, part, false);
            }
            H2Client.Answer ended = client.answer(17);
            assertThat(ended.status()).isEqualTo("8");
            assertThat(ended.message()).isEqualTo("too many unfinished requests on this connection");
            client.reset(1).call(19, "/test.Echo/Unary", Bytes.of("room again"));
            assertThat(client.answer(19).status()).isEqualTo("0");
        }
    }

    @Test
    void a_connection_that_says_nothing_is_closed() throws Exception {
        var defaults = PortTuning.defaults();
        try (var port = withTuning(new PortTuning(
                Duration.ofMillis(100), defaults.heldBytes(), defaults.answers(), defaults.rstFrames()))) {
            assertThat(port.raw().socket.getInputStream().read()).isEqualTo(-1);
        }
        try (var port = withTuning(new PortTuning(
                Duration.ofSeconds(1), defaults.heldBytes(), defaults.answers(), defaults.rstFrames()))) {
            var half = port.raw();
            half.bytes(Bytes.of("PRI * HTTP/2.0\r\n"));
            half.awaitEnd();
        }
    }

    @Test
    void a_silent_client_is_pinged_and_one_that_does_not_answer_is_cut_off() throws Exception {
        try (var port = withLimits(limits -> limits.keepalive(Duration.ofMillis(100), Duration.ofSeconds(5)))) {
            var client = port.raw().greet();
            client.headers(1, H2Client.grpc("/test.Echo/Hang"), false);
            H2Client.Frame ping = client.await(H2Client.PING);
            client.frame(H2Client.PING, H2Client.ACK, 0, ping.payload());
            client.await(H2Client.PING);
        }
        try (var port = withLimits(limits -> limits.keepalive(Duration.ofSeconds(1), Duration.ofSeconds(1)))) {
            var client = port.raw().greet();
            client.headers(1, H2Client.grpc("/test.Echo/Hang"), false);
            client.await(H2Client.PING);
            assertThatThrownBy(() -> client.await(H2Client.PING)).isInstanceOf(IOException.class);
            assertThat(port.echo.cancels.poll(60, TimeUnit.SECONDS)).isNotNull();
        }
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.Metadata;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.Http2Headers;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The parts that need no socket. */
class SmallPartsTest {

    private static final Metadata.Key<byte[]> BINARY = Metadata.Key.of("x-bin", Metadata.BINARY_BYTE_MARSHALLER);

    @Test
    void timeouts_are_read_in_all_units() {
        assertThat(GrpcTimeout.parseNanos("7n")).isEqualTo(7);
        assertThat(GrpcTimeout.parseNanos("7u")).isEqualTo(7_000);
        assertThat(GrpcTimeout.parseNanos("7m")).isEqualTo(7_000_000);
        assertThat(GrpcTimeout.parseNanos("7S")).isEqualTo(TimeUnit.SECONDS.toNanos(7));
        assertThat(GrpcTimeout.parseNanos("7M")).isEqualTo(TimeUnit.MINUTES.toNanos(7));
        assertThat(GrpcTimeout.parseNanos("7H")).isEqualTo(TimeUnit.HOURS.toNanos(7));
        assertThat(GrpcTimeout.parseNanos("0n")).isZero();
        assertThat(GrpcTimeout.parseNanos("99999999H")).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void other_timeouts_are_malformed() {
        for (String text : new String[] {"", "n", "7", "7x", "123456789n", "-1S", "1.5S", "+1S", " 1S"}) {
            assertThat(GrpcTimeout.parseNanos(text)).as(text).isEqualTo(GrpcTimeout.MALFORMED);
        }
    }

    @Test
    void pings_are_judged_by_the_time_since_the_last_one() {
        long min = 100;
        var rule = new PingRule(min);
        assertThat(rule.isBroken(0, true)).isFalse();
        assertThat(rule.isBroken(100, true)).as("in time").isFalse();
        assertThat(rule.isBroken(199, true)).as("first strike").isFalse();
        assertThat(rule.isBroken(299, true)).as("in time, but forgives nothing").isFalse();
        assertThat(rule.isBroken(300, true)).as("second strike").isFalse();
        assertThat(rule.isBroken(301, true)).as("third strike").isTrue();
    }

    @Test
    void without_a_call_two_hours_must_pass() {
        var rule = new PingRule(100);
        long hour = TimeUnit.HOURS.toNanos(1);
        assertThat(rule.isBroken(0, false)).isFalse();
        assertThat(rule.isBroken(2 * hour, false)).isFalse();
        assertThat(rule.isBroken(3 * hour, false)).isFalse();
        assertThat(rule.isBroken(4 * hour, false)).isFalse();
        assertThat(rule.isBroken(5 * hour, false)).isTrue();
    }

    @Test
    void what_is_sent_forgives_the_strikes_before_and_the_next_ping() {
        var rule = new PingRule(100);
        for (int i = 0; i < 3; i++) {
            assertThat(rule.isBroken(i, true)).isFalse();
        }
        rule.forgive();
        for (int i = 3; i < 6; i++) {
            assertThat(rule.isBroken(i, true)).isFalse();
        }
        assertThat(rule.isBroken(6, true)).isTrue();
    }

    @Test
    void binary_metadata_is_read_with_and_without_padding_and_in_lists() {
        Http2Headers headers =
                new DefaultHttp2Headers().add("x-bin", "AAE=, AAE,").add("x-bin", "/w");
        assertThat(MetadataCodec.read(headers).getAll(BINARY))
                .containsExactly(new byte[] {0, 1}, new byte[] {0, 1}, new byte[0], new byte[] {-1});
    }

    @Test
    void metadata_that_is_not_base64_is_named() {
        Http2Headers headers = new DefaultHttp2Headers().add("x-bin", "not base64!");
        assertThatThrownBy(() -> MetadataCodec.read(headers))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("malformed binary metadata \"not base64!\" in header \"x-bin\"");
    }

    @Test
    void the_protocols_own_headers_are_no_metadata() {
        Http2Headers headers = new DefaultHttp2Headers()
                .path("/x")
                .add("content-type", "application/grpc")
                .add("grpc-timeout", "1S")
                .add("te", "trailers")
                .add("x$y", "no metadata name")
                .add("user-agent", "test");
        assertThat(MetadataCodec.read(headers).keys()).containsExactly("user-agent");
    }

    @Test
    void metadata_cannot_forge_a_status() {
        var metadata = new Metadata();
        metadata.put(Metadata.Key.of("grpc-status", Metadata.ASCII_STRING_MARSHALLER), "0");
        metadata.put(Metadata.Key.of("x-other", Metadata.ASCII_STRING_MARSHALLER), "1");
        Http2Headers end = GrpcHeaders.end(io.grpc.Status.ABORTED, metadata);
        assertThat(end.getAll("grpc-status")).hasSize(1).first().hasToString("10");
        assertThat(end.get("x-other")).hasToString("1");
    }

    @Test
    void status_texts_are_escaped_byte_by_byte() {
        assertThat(GrpcHeaders.percentEncode("a b~%\n\u00e9\u20ac").toString()).isEqualTo("a b~%25%0A%C3%A9%E2%82%AC");
    }

    @Test
    void only_grpc_and_its_message_formats_are_grpc() {
        Map.of(
                        "application/grpc", true,
                        "application/grpc+proto", true,
                        "application/grpc; charset=x", true,
                        "application/grpc-web", false,
                        "application/grp", false,
                        "application/json", false)
                .forEach((type, grpc) ->
                        assertThat(GrpcHeaders.isGrpc(type)).as(type).isEqualTo(grpc));
    }

    @Test
    void a_method_is_served_once_and_has_a_full_name() throws Exception {
        try (var loops = EventLoops.create(1)) {
            var echo = new EchoHandlers();
            var builder = WireServer.builder(loops).raw("a.B/C", echo::unary);
            assertThatThrownBy(() -> builder.raw("a.B/C", echo::unary)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() ->
                            WireServer.builder(loops).raw("/a.B/C", echo::unary).start())
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.handler.codec.http2.DefaultHttp2Headers;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.Map;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Frames as other clients cut them, and requests that are wrong below the level of a client library. */
@ExtendWith(LeakCheck.class)
class FramingTest {

    private final TestPort port = TestPort.open();
    private H2Client client;

    @BeforeEach
    void connect() throws IOException {
        client = port.raw().greet();
    }

    @AfterEach
    void close() throws Exception {
        port.close();
    }

    private static byte[] join(byte[]... parts) {
        var joined = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            joined.writeBytes(part);
        }
        return joined.toByteArray();
    }

    private static byte[] gzip(byte[] bytes) throws IOException {
        var out = new ByteArrayOutputStream();
        try (var gzip = new GZIPOutputStream(out)) {
            gzip.write(bytes);
        }
        return out.toByteArray();
    }

    @Test
    void a_message_cut_into_single_bytes_is_put_together() throws Exception {
        client.headers(1, H2Client.grpc("/test.Echo/Unary"), false);
        byte[] framed = Bytes.framed(Bytes.of("hello"));
        for (byte b : framed) {
            client.data(1, new byte[] {b}, false);
        }
        assertThat(client.answer(1).body()).isEqualTo(framed);
    }

    @Test
    void several_messages_in_one_frame_are_told_apart() throws Exception {
        client.headers(1, H2Client.grpc("/test.Echo/Collect"), false);
        byte[] three = join(Bytes.framed(Bytes.of("one")), Bytes.framed(new byte[0]), Bytes.framed(Bytes.of("three")));
        client.data(1, Arrays.copyOf(three, three.length - 2), false);
        client.data(1, Arrays.copyOfRange(three, three.length - 2, three.length), true);
        assertThat(Bytes.text(client.answer(1).body())).endsWith("3 8");
    }

    @Test
    void an_empty_last_frame_ends_the_input() throws Exception {
        client.headers(1, H2Client.grpc("/test.Echo/Collect"), false);
        client.data(1, Bytes.framed(Bytes.of("one")), false).data(1, new byte[0], true);
        assertThat(Bytes.text(client.answer(1).body())).endsWith("1 3");
    }

    @Test
    void trailing_headers_end_the_input() throws Exception {
        client.headers(1, H2Client.grpc("/test.Echo/Collect"), false);
        client.data(1, Bytes.framed(Bytes.of("one")), false);
        client.headers(1, new DefaultHttp2Headers().set("x-trailer", "1"), true);
        assertThat(Bytes.text(client.answer(1).body())).endsWith("1 3");
    }

    @Test
    void trailing_headers_of_a_refused_call_are_nothing_new() throws Exception {
        client.headers(1, H2Client.grpc("/test.Echo/Nothing"), false);
        client.headers(1, new DefaultHttp2Headers().set("x-trailer", "1"), true);
        assertThat(client.answer(1).status()).isEqualTo("12");
        client.call(3, "/test.Echo/Unary", Bytes.of("x"));
        assertThat(client.answer(3).status()).isEqualTo("0");
    }

    @Test
    void headers_alone_may_end_the_input() throws Exception {
        client.headers(1, H2Client.grpc("/test.Echo/Collect"), true);
        assertThat(Bytes.text(client.answer(1).body())).endsWith("0 0");
    }

    @Test
    void an_input_that_ends_inside_a_message_is_an_error() throws Exception {
        client.headers(1, H2Client.grpc("/test.Echo/Collect"), false);
        client.data(1, Arrays.copyOf(Bytes.framed(Bytes.of("one")), 6), true);
        assertStatus(client.answer(1), "13", "unexpected EOF");
    }

    private static void assertStatus(H2Client.Answer answer, String code, String message) {
        assertThat(answer.status()).isEqualTo(code);
        assertThat(answer.message()).isEqualTo(message);
    }

    @Test
    void an_error_without_answer_is_one_block_of_headers() throws Exception {
        client.call(1, "/test.Echo/Fail", Bytes.of("5 not here"));
        H2Client.Frame only = client.await(H2Client.HEADERS);
        assertThat(only.has(H2Client.END_STREAM)).isTrue();
        assertThat(only.headers())
                .isEqualTo(Map.of(
                        ":status", "200",
                        "content-type", "application/grpc",
                        "grpc-status", "5",
                        "grpc-message", "not here"));
    }

    @Test
    void a_finished_call_whose_client_goes_on_sending_is_reset_without_error() throws Exception {
        client.headers(1, H2Client.grpc("/test.Echo/Unary"), false);
        client.data(1, Bytes.framed(Bytes.of("x")), false);
        assertThat(client.answer(1).status()).isEqualTo("0");
        assertThat(client.await(H2Client.RST_STREAM).intAt(0)).isZero();
        client.data(1, new byte[1000], false);
        client.call(3, "/test.Echo/Unary", Bytes.of("y"));
        assertThat(client.answer(3).status()).isEqualTo("0");
    }

    @Test
    void a_compressed_message_without_encoding_is_an_error() throws Exception {
        client.headers(1, H2Client.grpc("/test.Echo/Unary"), false);
        client.data(1, Bytes.framed(1, gzip(Bytes.of("x"))), true);
        assertStatus(client.answer(1), "13", "grpc: compressed flag set with identity or empty encoding");
    }

    @Test
    void an_unknown_payload_flag_is_an_error() throws Exception {
        client.headers(1, H2Client.grpc("/test.Echo/Unary"), false);
        client.data(1, Bytes.framed(2, Bytes.of("x")), true);
        assertStatus(client.answer(1), "13", "grpc: received unexpected payload format 2");
    }

    @Test
    void an_unknown_encoding_is_refused_and_the_known_ones_are_named() throws Exception {
        client.headers(1, H2Client.grpc("/test.Echo/Unary").set("grpc-encoding", "snappy"), false);
        client.data(1, Bytes.framed(Bytes.of("x")), true);
        H2Client.Answer answer = client.answer(1);
        assertStatus(answer, "12", "grpc: Decompressor is not installed for grpc-encoding \"snappy\"");
        assertThat(answer.headers()).containsEntry("grpc-accept-encoding", "gzip,identity");
    }

    @Test
    void a_large_answer_to_a_compressed_request_is_compressed_and_a_small_one_is_not() throws Exception {
        byte[] large = Bytes.of("compress me ".repeat(100));
        client.headers(1, H2Client.grpc("/test.Echo/Bidi").set("grpc-encoding", "gzip"), false);
        client.data(1, join(Bytes.framed(1, gzip(large)), Bytes.framed(Bytes.of("small"))), true);
        H2Client.Answer answer = client.answer(1);
        assertThat(answer.headers()).containsEntry("grpc-encoding", "gzip");
        assertThat(answer.body()[0]).isEqualTo((byte) 1);
        assertThat(answer.body().length).isLessThan(large.length / 4);
        assertThat(answer.body()).endsWith(Bytes.framed(Bytes.of("small")));
    }

    @Test
    void a_message_that_is_not_gzip_is_an_error() throws Exception {
        client.headers(1, H2Client.grpc("/test.Echo/Unary").set("grpc-encoding", "gzip"), false);
        client.data(1, Bytes.framed(1, Bytes.of("not compressed at all")), true);
        H2Client.Answer answer = client.answer(1);
        assertThat(answer.status()).isEqualTo("13");
        assertThat(answer.message()).startsWith("grpc: failed to decompress the received message");
    }

    @Test
    void a_decompression_bomb_stops_at_the_largest_message() throws Exception {
        client.headers(1, H2Client.grpc("/test.Echo/Unary").set("grpc-encoding", "gzip"), false);
        client.data(1, Bytes.framed(1, gzip(new byte[10 << 20])), true);
        assertStatus(client.answer(1), "8", "grpc: received message after decompression larger than max 2097152");
    }

    @Test
    void a_message_of_the_largest_size_is_taken_and_one_byte_more_is_not() throws Exception {
        int max = WireLimits.defaults().maxMessageBytes();
        client.headers(1, H2Client.grpc("/test.Echo/Collect"), false);
        client.data(1, Arrays.copyOf(Bytes.framed(new byte[max + 1]), 5), false);
        assertStatus(client.answer(1), "8", "grpc: received message larger than max (2097153 vs. 2097152)");
    }

    @Test
    void a_deadline_is_answered_by_the_server_itself() throws Exception {
        client.headers(1, H2Client.grpc("/test.Echo/Hang").set("grpc-timeout", "50m"), true);
        assertStatus(client.answer(1), "4", "context deadline exceeded");
    }

    @Test
    void a_malformed_deadline_is_an_error() throws Exception {
        client.headers(1, H2Client.grpc("/test.Echo/Hang").set("grpc-timeout", "soon"), true);
        H2Client.Answer answer = client.answer(1);
        assertStatus(answer, "13", "malformed grpc-timeout: \"soon\"");
        assertThat(answer.headers()).containsEntry(":status", "400");
    }

    @Test
    void a_grpc_path_takes_no_other_content_type() throws Exception {
        client.headers(1, H2Client.grpc("/test.Echo/Unary").set("content-type", "application/json"), true);
        H2Client.Answer answer = client.answer(1);
        assertStatus(answer, "3", "invalid gRPC request content-type \"application/json\"");
        assertThat(answer.headers()).containsEntry(":status", "415");
    }

    @Test
    void a_grpc_call_is_a_post() throws Exception {
        client.headers(1, H2Client.grpc("/test.Echo/Unary").method("PUT"), true);
        H2Client.Answer answer = client.answer(1);
        assertStatus(answer, "13", "Received a HEADERS frame with :method \"PUT\" which should be POST");
        assertThat(answer.headers()).containsEntry(":status", "405");
    }

    @Test
    void content_types_with_a_message_format_are_grpc() throws Exception {
        int stream = 1;
        for (String type : new String[] {"application/grpc+proto", "application/grpc;x=y", "Application/GRPC"}) {
            client.headers(stream, H2Client.grpc("/test.Echo/Unary").set("content-type", type), false);
            client.data(stream, Bytes.framed(Bytes.of("x")), true);
            assertThat(client.answer(stream).status()).isEqualTo("0");
            stream += 2;
        }
    }

    @Test
    void a_path_without_method_is_malformed() throws Exception {
        client.headers(1, H2Client.grpc("nonsense"), true);
        assertStatus(client.answer(1), "12", "malformed method name: \"nonsense\"");
    }
}

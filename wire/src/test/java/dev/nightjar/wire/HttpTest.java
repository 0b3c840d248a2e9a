/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.handler.codec.http2.DefaultHttp2Headers;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What is not gRPC: HTTP/1.1, and plain requests over HTTP/2. */
@ExtendWith(LeakCheck.class)
class HttpTest {

    private final LinkedBlockingQueue<HttpExchange> later = new LinkedBlockingQueue<>();
    private final TestPort port = TestPort.open(
            builder -> builder.http(this::handle).limits(Limits.with(limits -> limits.maxMessageBytes(10_000))));

    @AfterEach
    void close() throws Exception {
        port.close();
    }

    private void handle(HttpExchange exchange) {
        switch (exchange.path()) {
            case "/later" -> later.add(exchange);
            case "/throw" -> throw new IllegalStateException("a defect, on purpose");
            default -> {
                String text = exchange.method() + " " + exchange.path() + " " + exchange.query() + " "
                        + exchange.header("X-Test") + " " + Bytes.text(exchange.body());
                exchange.respond(200, "text/plain", Bytes.of(text), Map.of("X-Answer", "yes"));
            }
        }
    }

    /** A client that writes text and reads answers one by one. */
    private static final class TextClient implements AutoCloseable {
        private final Socket socket;
        private final InputStream in;

        TextClient(InetSocketAddress address) throws IOException {
            socket = new Socket(address.getAddress(), address.getPort());
            socket.setSoTimeout(60_000);
            in = new BufferedInputStream(socket.getInputStream());
        }

        TextClient send(String... parts) throws IOException {
            socket.getOutputStream().write(String.join("", parts).getBytes(StandardCharsets.ISO_8859_1));
            return this;
        }

        String line() throws IOException {
            var line = new StringBuilder();
            for (int c = in.read(); c != '\n' && c >= 0; c = in.read()) {
                line.append((char) c);
            }
            return line.toString().trim();
        }

        /** The status line and the body of the next answer. */
        String answer(boolean withBody) throws IOException {
            String status = line();
            int length = 0;
            for (String line = line(); !line.isEmpty(); line = line()) {
                if (line.toLowerCase(java.util.Locale.ROOT).startsWith("content-length:")) {
                    length = Integer.parseInt(line.substring(15).trim());
                }
            }
            byte[] body = withBody ? in.readNBytes(length) : new byte[0];
            return status + "|" + Bytes.text(body);
        }

        boolean isAtEnd() throws IOException {
            return in.read() < 0;
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    private TextClient text() throws IOException {
        return new TextClient(port.address());
    }

    private HttpResponse<String> send(HttpClient.Version version, String method, String path, String body)
            throws Exception {
        try (var client = HttpClient.newBuilder().version(version).build()) {
            var request = HttpRequest.newBuilder(
                            URI.create("http://127.0.0.1:" + port.address().getPort() + path))
                    .method(method, HttpRequest.BodyPublishers.ofString(body))
                    .header("x-test", "value")
                    .timeout(Duration.ofSeconds(60))
                    .build();
            return client.send(request, HttpResponse.BodyHandlers.ofString());
        }
    }

    @Test
    void the_jdks_client_is_served() throws Exception {
        HttpResponse<String> answer = send(HttpClient.Version.HTTP_1_1, "POST", "/a%20b?x=1&x=2", "body");
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.body()).isEqualTo("POST /a b {x=[1, 2]} value body");
        assertThat(answer.headers().firstValue("x-answer")).hasValue("yes");
        assertThat(answer.headers().firstValue("content-type")).hasValue("text/plain");
    }

    @Test
    void a_connection_serves_one_request_after_the_other() throws Exception {
        try (var client = text()) {
            client.send("GET /1 HTTP/1.1\r\nhost: x\r\n\r\n");
            assertThat(client.answer(true)).isEqualTo("HTTP/1.1 200 OK|GET /1 {} null ");
            client.send("POST /2 HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\nhi");
            assertThat(client.answer(true)).isEqualTo("HTTP/1.1 200 OK|POST /2 {} null hi");
            client.send("GET /3 HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
            assertThat(client.answer(true)).isEqualTo("HTTP/1.1 200 OK|GET /3 {} null ");
            assertThat(client.isAtEnd()).isTrue();
        }
    }

    @Test
    void pipelined_requests_are_answered_in_order_even_if_the_first_takes_long() throws Exception {
        try (var client = text()) {
            client.send(
                    "GET /later HTTP/1.1\r\nhost: x\r\n\r\nGET /2 HTTP/1.1\r\nhost: x\r\n\r\n",
                    "GET /3 HTTP/1.1\r\nhost: x\r\n\r\n");
            HttpExchange first = later.poll(60, TimeUnit.SECONDS);
            assertThat(first).isNotNull();
            first.respond(202, "text/plain", Bytes.of("at last"), Map.of());
            assertThat(client.answer(true)).isEqualTo("HTTP/1.1 202 Accepted|at last");
            assertThat(client.answer(true)).isEqualTo("HTTP/1.1 200 OK|GET /2 {} null ");
            assertThat(client.answer(true)).isEqualTo("HTTP/1.1 200 OK|GET /3 {} null ");
        }
    }

    @Test
    void a_head_request_gets_no_body() throws Exception {
        try (var client = text()) {
            client.send("HEAD /1 HTTP/1.1\r\nhost: x\r\n\r\nGET /2 HTTP/1.1\r\nhost: x\r\n\r\n");
            assertThat(client.answer(false)).isEqualTo("HTTP/1.1 200 OK|");
            assertThat(client.answer(true)).isEqualTo("HTTP/1.1 200 OK|GET /2 {} null ");
        }
    }

    @Test
    void a_chunked_body_is_put_together() throws Exception {
        try (var client = text()) {
            client.send(
                    "POST /c HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n",
                    "3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n");
            assertThat(client.answer(true)).isEqualTo("HTTP/1.1 200 OK|POST /c {} null abcde");
        }
    }

    @Test
    void a_body_beyond_the_limit_is_answered_413() throws Exception {
        assertThat(send(HttpClient.Version.HTTP_1_1, "POST", "/", "x".repeat(10_000))
                        .statusCode())
                .isEqualTo(200);
        try (var client = text()) {
            client.send("POST /c HTTP/1.1\r\nhost: x\r\ncontent-length: 10001\r\n\r\n");
            assertThat(client.answer(true)).startsWith("HTTP/1.1 413 ");
        }
    }

    @Test
    void an_old_request_need_not_name_a_host() throws Exception {
        try (var client = text()) {
            client.send("GET /old HTTP/1.0\r\n\r\n");
            assertThat(client.answer(true)).startsWith("HTTP/1.1 200 ");
        }
    }

    @Test
    void a_target_may_be_a_whole_url() throws Exception {
        try (var client = text()) {
            client.send("GET http://example.org:2379/a/b?q=1 HTTP/1.1\r\nhost: x\r\n\r\n");
            assertThat(client.answer(true)).isEqualTo("HTTP/1.1 200 OK|GET /a/b {q=[1]} null ");
        }
    }

    @Test
    void nonsense_is_answered_400_and_closed() throws Exception {
        for (String nonsense : new String[] {
            "what is this?\r\n\r\n",
            "GET / HTTP/1.1\r\nbad header\r\n\r\n",
            "GET / HTTP/1.1\r\n\r\n",
            "GET / HTTP/1.1\r\nhost: x\r\nhost: y\r\n\r\n",
            "\u0016\u0003\u0001\u0002\u0000\u0001\r\n\r\n"
        }) {
            try (var client = text()) {
                client.send(nonsense);
                assertThat(client.answer(true)).as(nonsense).startsWith("HTTP/1.1 400 ");
                assertThat(client.isAtEnd()).isTrue();
            }
        }
    }

    @Test
    void a_malformed_escape_is_answered_400() throws Exception {
        try (var client = text()) {
            client.send("GET /%zz HTTP/1.1\r\nhost: x\r\n\r\n");
            assertThat(client.answer(true)).startsWith("HTTP/1.1 400 ");
        }
    }

    @Test
    void headers_beyond_the_limit_are_answered_431() throws Exception {
        try (var client = text()) {
            client.send("GET / HTTP/1.1\r\nhost: x\r\nx-long: "
                    + "x".repeat(WireLimits.defaults().maxHeaderListBytes()) + "\r\n\r\n");
            assertThat(client.answer(true)).startsWith("HTTP/1.1 431 ");
            assertThat(client.isAtEnd()).isTrue();
        }
    }

    @Test
    void a_request_line_beyond_the_limit_is_answered_414() throws Exception {
        try (var client = text()) {
            client.send("GET /" + "x".repeat(9_000) + " HTTP/1.1\r\nhost: x\r\n\r\n");
            assertThat(client.answer(true)).startsWith("HTTP/1.1 414 ");
        }
    }

    @Test
    void a_defect_in_the_handler_is_answered_500() throws Exception {
        assertThat(send(HttpClient.Version.HTTP_1_1, "GET", "/throw", "").statusCode())
                .isEqualTo(500);
        var client = port.raw().greet();
        client.headers(1, H2Client.grpc("/throw").method("GET").set("content-type", "x/y"), true);
        assertThat(client.answer(1).headers()).containsEntry(":status", "500");
    }

    @Test
    void plain_requests_share_an_http2_connection_with_grpc() throws Exception {
        var client = port.raw().greet();
        var headers = new DefaultHttp2Headers()
                .method("POST")
                .scheme("http")
                .authority("test")
                .path("/plain?q=%41")
                .set("x-test", "h2");
        client.headers(1, headers, false).data(1, Bytes.of("bo"), false).data(1, Bytes.of("dy"), true);
        client.call(3, "/test.Echo/Unary", Bytes.of("x"));
        H2Client.Answer answer = client.answer(1);
        assertThat(Bytes.text(answer.body())).isEqualTo("POST /plain {q=[A]} h2 body");
        assertThat(answer.headers())
                .containsEntry(":status", "200")
                .containsEntry("x-answer", "yes")
                .containsEntry("content-length", "27");
        assertThat(client.answer(3).status()).isEqualTo("0");
    }

    @Test
    void an_http2_body_beyond_the_limit_is_answered_413() throws Exception {
        var client = port.raw().greet();
        client.headers(1, H2Client.grpc("/plain").set("content-type", "x/y"), false);
        client.data(1, new byte[10_001], false);
        assertThat(client.answer(1).headers()).containsEntry(":status", "413");
        assertThat(client.await(H2Client.RST_STREAM).intAt(0)).isZero();
    }

    @Test
    void an_exchange_is_answered_once_from_any_thread() throws Exception {
        var client = port.raw().greet();
        client.headers(1, H2Client.grpc("/later").method("GET").set("content-type", "x/y"), true);
        HttpExchange exchange = later.poll(60, TimeUnit.SECONDS);
        assertThat(exchange).isNotNull();
        exchange.respond(204, "text/plain", new byte[0], Map.of());
        assertThat(client.answer(1).headers()).containsEntry(":status", "204");
        org.assertj.core.api.Assertions.assertThatThrownBy(
                        () -> exchange.respond(200, "text/plain", new byte[0], Map.of()))
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void a_graceful_end_waits_for_the_answer_and_then_closes() throws Exception {
        try (var client = text()) {
            client.send("GET /later HTTP/1.1\r\nhost: x\r\n\r\n");
            HttpExchange exchange = later.poll(60, TimeUnit.SECONDS);
            assertThat(exchange).isNotNull();
            var done = port.server.shutdown(Duration.ofMinutes(1));
            assertThat(done).isNotDone();
            exchange.respond(200, "text/plain", Bytes.of("done"), Map.of());
            assertThat(client.answer(true)).endsWith("|done");
            assertThat(client.isAtEnd()).isTrue();
            done.get(60, TimeUnit.SECONDS);
        }
    }

    @Test
    void a_graceful_end_closes_an_idle_connection_at_once() throws Exception {
        try (var client = text()) {
            client.send("GET /1 HTTP/1.1\r\nhost: x\r\n\r\n");
            assertThat(client.answer(true)).startsWith("HTTP/1.1 200 ");
            var done = port.server.shutdown(Duration.ofMinutes(1));
            assertThat(client.isAtEnd()).isTrue();
            done.get(60, TimeUnit.SECONDS);
        }
    }

    @Test
    void a_request_that_never_becomes_whole_and_an_idle_connection_are_closed() throws Exception {
        var defaults = PortTuning.defaults();
        var hasty =
                new PortTuning(Duration.ofSeconds(2), defaults.heldBytes(), defaults.answers(), defaults.rstFrames());
        try (var other = TestPort.open(builder -> builder.http(this::handle).tuning(hasty))) {
            try (var slow = new TextClient(other.address())) {
                slow.send("GET /1 HTTP/1.1\r\nhos");
                assertThat(slow.isAtEnd()).isTrue();
            }
            try (var idle = new TextClient(other.address())) {
                idle.send("GET /2 HTTP/1.1\r\nhost: x\r\n\r\n");
                assertThat(idle.answer(true)).startsWith("HTTP/1.1 200 ");
                assertThat(idle.isAtEnd()).isTrue();
            }
        }
    }
}

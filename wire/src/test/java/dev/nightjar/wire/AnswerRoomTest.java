/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Metadata;
import io.grpc.Status;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.Http2Headers;
import java.io.IOException;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Clients that call and do not read what they called for. */
@ExtendWith(LeakCheck.class)
class AnswerRoomTest {

    private static final int INITIAL_WINDOW = 4; // the setting's id
    private static final int WIDE = 1 << 30;
    private static final int QUEUED = 1_000_000;
    private static final int LARGE = 400_000;
    private static final int CALLS = 300;

    /** Calls of {@link #large} whose answers are being made. */
    private final Queue<RawCall> making = new ConcurrentLinkedQueue<>();

    private static PortTuning tuning(AnswerLimits answers) {
        var defaults = PortTuning.defaults();
        return new PortTuning(defaults.headerTimeout(), defaults.heldBytes(), answers, defaults.rstFrames());
    }

    private TestPort open(int waitingCalls) {
        var limits = new AnswerLimits(QUEUED, LARGE, Long.MAX_VALUE, waitingCalls);
        return TestPort.open(builder -> builder.tuning(tuning(limits)).raw("test.Echo/Large", this::large));
    }

    /** Asks for as much room as the message says; the test answers. */
    private RawCall.Listener large(RawCall call, Http2Headers headers) {
        return new EchoHandlers.Quiet() {
            @Override
            public void onMessage(ByteBuf message) {
                call.whenRoom(Integer.parseInt(Bytes.text(Bytes.of(message))), () -> making.add(call));
            }
        };
    }

    private static void answer(RawCall call, int bytes) throws Exception {
        call.loop()
                .submit(() -> {
                    EchoHandlers.send(call, new byte[bytes]);
                    call.finish(Status.OK, new Metadata());
                })
                .get(60, TimeUnit.SECONDS);
    }

    private void makeAll(int bytes) throws Exception {
        for (RawCall call = making.poll(); call != null; call = making.poll()) {
            answer(call, bytes);
        }
    }

    @Test
    void a_client_that_reads_nothing_has_few_large_answers_made_and_all_once_it_reads() throws Exception {
        try (var port = open(CALLS)) {
            var client = port.raw().greet(INITIAL_WINDOW, 0);
            for (int i = 0; i < CALLS; i++) {
                client.call(2 * i + 1, "/test.Echo/Large", Bytes.of("150000"));
            }
            client.settle();
            assertThat(making).as("150,000 bytes of 400,000 each").hasSize(2);

            makeAll(190_000);
            client.settle();
            assertThat(making).as("380,010 bytes are queued").isEmpty();

            client.window(0, WIDE);
            int answered = 0;
            for (int i = 0; i < CALLS; i++) {
                client.window(2 * i + 1, WIDE);
            }
            while (answered < CALLS) {
                answered += ended(client);
                makeAll(1_000);
            }
            assertThat(answered).isEqualTo(CALLS);
        }
    }

    @Test
    void small_calls_go_on_beside_large_answers_that_wait() throws Exception {
        try (var port = open(CALLS)) {
            var client = port.raw().greet(INITIAL_WINDOW, 0);
            for (int stream = 1; stream < 9; stream += 2) {
                client.call(stream, "/test.Echo/Large", Bytes.of("200000"));
            }
            client.settle();
            makeAll(200_000);
            client.headers(9, H2Client.grpc("/test.Echo/Unary"), false).window(9, 1000);
            client.data(9, Bytes.framed(Bytes.of("small")), true);
            assertThat(client.answer(9).status()).isEqualTo("0");
        }
    }

    @Test
    void an_answer_of_any_size_is_made_when_there_is_no_other() throws Exception {
        try (var port = open(CALLS)) {
            var client = port.raw().greet();
            client.call(1, "/test.Echo/Large", Bytes.of("2000000000"));
            client.call(3, "/test.Echo/Large", Bytes.of("2000000000"));
            client.settle();
            assertThat(making).hasSize(1);
            answer(making.remove(), 10);
            awaitMaking(client, 1);
        }
    }

    @Test
    void a_call_that_ends_leaves_its_room_to_the_next() throws Exception {
        try (var port = open(CALLS)) {
            var client = port.raw().greet();
            for (int stream = 1; stream < 7; stream += 2) {
                client.call(stream, "/test.Echo/Large", Bytes.of("400000"));
            }
            client.settle();
            assertThat(making).hasSize(1);
            client.reset(3).reset(1);
            awaitMaking(client, 2); // the third; the second ended while it waited
        }
    }

    /** Waiting calls go on after the loop's other work, perhaps not in the turn that made room. */
    private void awaitMaking(H2Client client, int count) throws IOException {
        for (int i = 0; i < 100 && making.size() < count; i++) {
            client.settle();
        }
        assertThat(making).hasSize(count);
    }

    @Test
    void a_call_on_an_overfull_connection_begins_when_the_client_has_read() throws Exception {
        try (var port = open(CALLS)) {
            var client = port.raw().greet(INITIAL_WINDOW, 0);
            client.call(1, "/test.Echo/Flood", Bytes.of("1500000"));
            client.settle();
            client.call(3, "/test.Echo/Collect", Bytes.of("x"));
            client.window(3, 1000);
            assertThat(client.settle()).noneMatch(frame -> frame.stream() == 3);
            client.window(0, WIDE).window(1, WIDE);
            var answer = client.answer(3);
            assertThat(answer.status()).isEqualTo("0");
            assertThat(Bytes.text(answer.body())).endsWith("1 1");
        }
    }

    @Test
    void a_large_answer_on_an_overfull_connection_is_refused_and_a_small_one_is_not() throws Exception {
        try (var port = open(CALLS)) {
            var client = port.raw().greet(INITIAL_WINDOW, 0);
            for (int stream = 1; stream < 7; stream += 2) {
                client.call(stream, "/test.Echo/Hang", Bytes.of("x"));
            }
            client.settle();
            answer(port.echo.hanging.take(), QUEUED + 1);
            answer(port.echo.hanging.take(), 20_000);
            assertUnread(client.answer(3));
            answer(port.echo.hanging.take(), 10);
            client.window(5, 1000);
            assertThat(client.answer(5).status()).isEqualTo("0");
        }
    }

    @Test
    void a_plain_request_on_an_overfull_connection_is_refused() throws Exception {
        try (var port = open(CALLS)) {
            var client = port.raw().greet(INITIAL_WINDOW, 0);
            client.call(1, "/test.Echo/Flood", Bytes.of("1500000"));
            client.settle();
            var get = new DefaultHttp2Headers()
                    .method("GET")
                    .scheme("http")
                    .authority("test")
                    .path("/metrics");
            client.headers(3, get, true).window(3, 1000);
            assertThat(client.await(H2Client.HEADERS).headers()).containsEntry(":status", "503");
        }
    }

    private static void assertUnread(H2Client.Answer refused) {
        assertThat(refused.status()).isEqualTo("8");
        assertThat(refused.message()).isEqualTo("too many unread answers on this connection");
    }

    @Test
    void more_waiting_calls_than_the_limit_are_refused() throws Exception {
        try (var port = open(2)) {
            var client = port.raw().greet(INITIAL_WINDOW, 0);
            for (int stream = 1; stream < 9; stream += 2) {
                client.call(stream, "/test.Echo/Large", Bytes.of("400000"));
            }
            assertUnread(client.answer(7));
            client.call(9, "/test.Echo/Flood", Bytes.of("1500000"));
            for (int stream = 11; stream < 17; stream += 2) {
                client.call(stream, "/test.Echo/Unary", Bytes.of("x"));
            }
            assertUnread(client.answer(15));
        }
    }

    @Test
    void a_stuck_connection_does_not_hold_up_another() throws Exception {
        try (var port = open(CALLS)) {
            var stuck = port.raw().greet(INITIAL_WINDOW, 0);
            stuck.call(1, "/test.Echo/Flood", Bytes.of("1500000"));
            stuck.settle();
            var other = port.raw().greet();
            other.call(1, "/test.Echo/Unary", Bytes.of("x"));
            assertThat(other.answer(1).status()).isEqualTo("0");
        }
    }

    @Test
    void memory_beyond_the_limit_is_told() throws Exception {
        var limits = new AnswerLimits(QUEUED, LARGE, 64 << 20, CALLS);
        try (var port = TestPort.open(builder -> builder.tuning(tuning(limits)))) {
            var client = port.raw().greet();
            client.call(1, "/test.Echo/Hang", Bytes.of("x"));
            RawCall call = port.echo.hanging.take();
            assertThat(call.hasMemoryFor(1)).isTrue();
            assertThat(call.hasMemoryFor(65 << 20)).isFalse();
            ByteBuf taken = call.buffer(60 << 20);
            assertThat(call.hasMemoryFor(5 << 20)).isFalse();
            taken.release();
            assertThat(call.hasMemoryFor(5 << 20)).isTrue();
        }
    }

    @Test
    void the_limits_are_shares_of_a_small_memory_and_fixed_in_a_large_one() {
        var small = AnswerLimits.of(256 << 20);
        assertThat(small.queuedBytes()).isEqualTo(32 << 20);
        assertThat(small.largeBytes()).isEqualTo(32 << 20);
        assertThat(small.memoryBytes()).isEqualTo(192 << 20);
        var large = AnswerLimits.of(64L << 30);
        assertThat(large.queuedBytes()).isEqualTo(256 << 20);
        assertThat(large.largeBytes()).isEqualTo(64 << 20);
    }

    @Test
    void an_endless_row_of_calls_is_answered_in_full_to_a_client_that_reads() throws Exception {
        try (var port = open(CALLS)) {
            var client = port.raw().greet(INITIAL_WINDOW, WIDE);
            client.window(0, WIDE);
            for (int i = 0; i < CALLS; i++) {
                client.call(2 * i + 1, "/test.Echo/Large", Bytes.of("150000"));
            }
            int answered = 0;
            while (answered < CALLS) {
                makeAll(150_000);
                answered += ended(client);
            }
            assertThat(answered).isEqualTo(CALLS);
        }
    }

    /** Answers that have ended by now, all of them well. */
    private static int ended(H2Client client) throws IOException {
        int ended = 0;
        for (H2Client.Frame frame : client.settle()) {
            if (frame.type() == H2Client.HEADERS && frame.has(H2Client.END_STREAM)) {
                assertThat(frame.headers()).containsEntry("grpc-status", "0");
                ended++;
            }
        }
        return ended;
    }
}

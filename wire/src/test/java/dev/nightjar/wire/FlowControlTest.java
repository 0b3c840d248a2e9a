/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.util.concurrent.Future;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Who waits for whom: slow readers, paused handlers, and their neighbours on the same connection. */
@ExtendWith(LeakCheck.class)
class FlowControlTest {

    private static final int INITIAL_WINDOW = 4; // the setting's id
    private static final int DEFAULT_WINDOW = 65_535;
    private static final int WIDE = 1 << 30;

    private final TestPort port = TestPort.open();

    @AfterEach
    void close() throws Exception {
        port.close();
    }

    private RawCall serverCall() throws InterruptedException {
        RawCall call = port.echo.hanging.poll(60, TimeUnit.SECONDS);
        assertThat(call).isNotNull();
        return call;
    }

    private static <T> T onLoop(RawCall call, Callable<T> question) throws Exception {
        Future<T> answer = call.loop().submit(question);
        return answer.get(60, TimeUnit.SECONDS);
    }

    private static int dataBytes(List<H2Client.Frame> frames, int stream) {
        return frames.stream()
                .filter(frame -> frame.type() == H2Client.DATA && frame.stream() == stream)
                .mapToInt(frame -> frame.payload().length)
                .sum();
    }

    @Test
    void a_slow_reader_holds_its_call_back_and_loses_nothing() throws Exception {
        var client = port.raw().greet();
        client.call(1, "/test.Echo/Repeat", Bytes.of("500 10000"));
        int total = 500 * (5 + 10_000);

        int got = 0;
        while (got < DEFAULT_WINDOW) {
            got += client.await(H2Client.DATA).payload().length;
        }
        assertThat(got).isEqualTo(DEFAULT_WINDOW);
        assertThat(dataBytes(client.settle(), 1)).as("beyond the window").isZero();
        RawCall call = serverCall();
        assertThat(onLoop(call, call::isWritable)).isFalse();
        assertThat(onLoop(call, call::queuedBytes))
                .as("one message may have been queued when the window closed")
                .isLessThanOrEqualTo(DEFAULT_WINDOW);

        client.window(0, WIDE).window(1, WIDE);
        byte[] rest = client.answer(1).body();
        assertThat(got + rest.length).isEqualTo(total);
    }

    @Test
    void a_window_of_one_byte_is_enough() throws Exception {
        var client = port.raw().greet(INITIAL_WINDOW, 1);
        byte[] message = Bytes.of("byte by byte");
        client.call(1, "/test.Echo/Unary", message);
        var body = new ByteArrayOutputStream();
        while (body.size() < 5 + message.length) {
            byte[] part = client.await(H2Client.DATA).payload();
            assertThat(part).hasSize(1);
            body.write(part);
            client.window(1, 1);
        }
        assertThat(body.toByteArray()).isEqualTo(Bytes.framed(message));
        assertThat(client.answer(1).status()).isEqualTo("0");
    }

    @Test
    void a_stuck_stream_does_not_stop_its_neighbours() throws Exception {
        var client = port.raw().greet(INITIAL_WINDOW, 1000);
        client.window(0, WIDE);
        client.call(1, "/test.Echo/Flood", Bytes.of("5000000"));
        RawCall stuck = serverCall();
        assertThat(dataBytes(client.settle(), 1)).isEqualTo(1000);
        assertThat(onLoop(stuck, stuck::isWritable)).isFalse();

        client.headers(3, H2Client.grpc("/test.Echo/Repeat"), false).window(3, WIDE);
        client.data(3, Bytes.framed(Bytes.of("500 10000")), true);
        assertThat(client.answer(3).body()).hasSize(500 * 10_005);
        client.reset(1);
        assertThat(port.echo.cancels.poll(60, TimeUnit.SECONDS)).isNotNull();
    }

    @Test
    void a_small_answer_overtakes_a_large_one() throws Exception {
        var client = port.raw().greet(INITIAL_WINDOW, WIDE);
        client.call(1, "/test.Echo/Flood", Bytes.of("10000000"));
        client.call(3, "/test.Echo/Unary", Bytes.of("small"));
        // Both answers are there before the connection's window opens, however long it took to ask for them.
        var settled = new ArrayDeque<>(client.settle());
        client.window(0, WIDE);
        int large = 0;
        boolean small = false;
        while (large < 10_000_005) {
            var frame = settled.isEmpty() ? client.next() : settled.remove();
            if (frame.type() == H2Client.DATA && frame.stream() == 1) {
                large += frame.payload().length;
            }
            if (frame.type() == H2Client.HEADERS && frame.stream() == 3 && frame.has(H2Client.END_STREAM)) {
                small = true;
                assertThat(large)
                        .as("bytes of the large answer that came first")
                        .isLessThan(1_000_000);
            }
        }
        assertThat(small).isTrue();
    }

    @Test
    void two_large_answers_share_the_connection_evenly() throws Exception {
        var client = port.raw().greet(INITIAL_WINDOW, WIDE);
        client.call(1, "/test.Echo/Flood", Bytes.of("4000000"));
        client.call(3, "/test.Echo/Flood", Bytes.of("4000000"));
        // Both answers are there before the connection's window opens, however long it took to ask for them.
        List<H2Client.Frame> settled = client.settle();
        int[] got = {0, dataBytes(settled, 1), 0, dataBytes(settled, 3)};
        client.window(0, WIDE);
        int apart = 0;
        while (got[1] + got[3] < 8_000_010) {
            var frame = client.await(H2Client.DATA);
            got[frame.stream()] += frame.payload().length;
            if (got[3] > 0 && got[1] < 3_900_000) {
                apart = Math.max(apart, got[1] - got[3]);
            }
        }
        assertThat(apart).as("how far the first ran ahead").isLessThan(1_000_000);
    }

    @Test
    void a_paused_handler_holds_the_client_back_but_not_its_neighbours() throws Exception {
        var client = port.raw().greet();
        client.settle();
        byte[] message = Bytes.framed(new byte[1024 - 5]);
        client.headers(1, H2Client.grpc("/test.Echo/Paused"), false);
        RawCall paused = serverCall();
        sendMany(client, 1, message, 1024);
        assertThat(updates(client.settle(), 1))
                .as("window given back to a paused call")
                .isZero();

        for (int stream = 3; stream < 9; stream += 2) {
            client.headers(stream, H2Client.grpc("/test.Echo/Collect"), false);
            sendMany(client, stream, message, 1000);
            client.data(stream, new byte[0], true);
            assertThat(Bytes.text(client.answer(stream).body())).endsWith("1000 " + 1000 * (1024 - 5));
        }

        paused.loop().execute(() -> paused.read(true));
        while (updates(List.of(client.await(H2Client.WINDOW_UPDATE)), 1) == 0) {
            assertThat(client.socket.isConnected()).isTrue();
        }
        sendMany(client, 1, message, 1000);
        client.data(1, new byte[0], true);
        assertThat(Bytes.text(client.answer(1).body())).endsWith("2024 " + 2024 * (1024 - 5));
    }

    private static void sendMany(H2Client client, int stream, byte[] message, int count) throws IOException {
        byte[] sixteen = new byte[16 * message.length];
        for (int i = 0; i < 16; i++) {
            System.arraycopy(message, 0, sixteen, i * message.length, message.length);
        }
        int left = count;
        for (; left >= 16; left -= 16) {
            client.data(stream, sixteen, false);
        }
        for (; left > 0; left--) {
            client.data(stream, message, false);
        }
    }

    private static int updates(List<H2Client.Frame> frames, int stream) {
        return frames.stream()
                .filter(frame -> frame.type() == H2Client.WINDOW_UPDATE && frame.stream() == stream)
                .mapToInt(frame -> frame.intAt(0))
                .sum();
    }

    @Test
    void a_call_is_not_writable_beyond_its_queue_limit() throws Exception {
        try (var small = TestPort.open(builder -> builder.limits(Limits.with(b -> b.streamQueueBytes(20_000))))) {
            var client = small.raw().greet(INITIAL_WINDOW, WIDE);
            client.call(1, "/test.Echo/Repeat", Bytes.of("3 100000"));
            RawCall call = small.echo.hanging.poll(60, TimeUnit.SECONDS);
            assertThat(call).isNotNull();
            int got = 0;
            while (got < DEFAULT_WINDOW) {
                got += client.await(H2Client.DATA).payload().length;
            }
            assertThat(onLoop(call, call::queuedBytes)).isEqualTo(100_005);
            assertThat(onLoop(call, call::isWritable)).isFalse();
            client.window(0, WIDE);
            assertThat(got + client.answer(1).body().length).isEqualTo(3 * 100_005);
        }
    }

    @Test
    void little_waits_for_the_end_of_the_turn_and_much_leaves_at_once() throws Exception {
        var queued = new LinkedBlockingQueue<Long>();
        try (var open = TestPort.open(builder -> builder.raw("test.Echo/Bursts", (call, headers) -> {
            for (int size : new int[] {10_000, 10_000, ConnectionOutput.EARLY_FLUSH_BYTES - 20_000}) {
                EchoHandlers.send(call, new byte[size - 5]);
                queued.add(call.queuedBytes());
            }
            return open(call);
        }))) {
            var client = open.raw().greet();
            client.call(1, "/test.Echo/Bursts", new byte[1]);
            assertThat(client.answer(1).status()).isEqualTo("0");
            assertThat(queued).containsExactly(10_000L, 20_000L, 0L);
        }
    }

    @Test
    void a_reply_leaves_in_one_write_with_its_end_however_long_it_is() throws Exception {
        var counted = new CountedWrites();
        int size = 300_000;
        try (var open = TestPort.open(
                builder -> builder.raw("test.Echo/Whole", (call, headers) -> counted.reply(call, size)))) {
            var client = open.raw().greet(INITIAL_WINDOW, WIDE).window(0, WIDE);
            client.call(1, "/test.Echo/Whole", new byte[1]);
            var answer = client.answer(1);
            assertThat(answer.status()).isEqualTo("0");
            assertThat(answer.body()).hasSize(5 + size);
            assertThat(counted.flushedBytes).hasSize(1).allMatch(bytes -> bytes > size);
        }
    }

    /** Counts what passes on its way to the socket from the answer on. */
    private static final class CountedWrites extends ChannelOutboundHandlerAdapter {
        private final Queue<Integer> flushedBytes = new LinkedBlockingQueue<>();
        private int bytes;

        /** Answers with so many zeros when the request has come. */
        RawCall.Listener reply(RawCall call, int size) {
            return new EchoHandlers.Quiet() {
                @Override
                public void onMessage(ByteBuf message) {
                    ((GrpcCall) call).connection().ctx().pipeline().addFirst(CountedWrites.this);
                    call.reply(call.buffer(5 + size).writeByte(0).writeInt(size).writeZero(size));
                }
            };
        }

        @Override
        @SuppressWarnings("FutureReturnValueIgnored") // the promise tells
        public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
            bytes += ((ByteBuf) message).readableBytes();
            ctx.write(message, promise);
        }

        @Override
        public void flush(ChannelHandlerContext ctx) {
            if (bytes > 0) {
                flushedBytes.add(bytes);
                bytes = 0;
            }
            ctx.flush();
        }
    }

    private static RawCall.Listener open(RawCall call) {
        return new EchoHandlers().collect(call, new DefaultHttp2Headers());
    }
}

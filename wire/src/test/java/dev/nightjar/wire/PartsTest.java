/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.CallOptions;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http2.Http2Headers;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One message in parts. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class PartsTest {

    private static final int INITIAL_WINDOW = 4;
    private static final int WIDE = 100_000_000;
    private static final int PART = 100_000;
    private static final int PARTS = 200;

    private final AtomicLong mostQueued = new AtomicLong();
    private final AtomicInteger sentMessages = new AtomicInteger();
    private final AtomicLong sentBytes = new AtomicLong();
    private final TestPort port = TestPort.open(builder -> builder.raw("test.Echo/Parts", this::parts)
            .raw("test.Echo/Broken", this::broken)
            .raw("test.Echo/Ahead", this::ahead)
            .observer(new WireObserver() {
                @Override
                public void messagesSent(String fullMethod, int messages, int bytes) {
                    sentMessages.addAndGet(messages);
                    sentBytes.addAndGet(bytes);
                }
            }));

    @AfterEach
    void close() throws Exception {
        port.close();
    }

    private static ByteBuf part(RawCall call, int number) {
        ByteBuf part = call.buffer(5 + PART);
        if (number == 0) {
            part.writeByte(0).writeInt(PARTS * PART);
        }
        // In one piece: the leak detector notes every access.
        byte[] body = new byte[PART];
        for (int i = 0; i < PART; i++) {
            body[i] = (byte) (number + i);
        }
        return part.writeBytes(body);
    }

    private RawCall.Listener parts(RawCall call, Http2Headers headers) {
        return new EchoHandlers.Quiet() {
            private int next;

            @Override
            public void onMessage(ByteBuf message) {
                onWritable();
            }

            @Override
            public void onWritable() {
                while (next < PARTS && call.isWritable()) {
                    call.sendPart(part(call, next), next == 0);
                    next++;
                    mostQueued.accumulateAndGet(call.queuedBytes(), Math::max);
                }
                if (next == PARTS) {
                    call.finish(Status.OK, new Metadata());
                }
            }
        };
    }

    private RawCall.Listener broken(RawCall call, Http2Headers headers) {
        return new EchoHandlers.Quiet() {
            @Override
            public void onMessage(ByteBuf message) {
                call.sendPart(part(call, 0), true);
                call.finish(Status.RESOURCE_EXHAUSTED.withDescription("in the middle"), new Metadata());
            }
        };
    }

    private RawCall.Listener ahead(RawCall call, Http2Headers headers) {
        return new EchoHandlers.Quiet() {
            @Override
            public void onMessage(ByteBuf message) {
                ByteBuf framed =
                        call.buffer(5 + PART).writeByte(0).writeInt(PART).writeZero(PART);
                assertThat(call.compresses()).isTrue();
                call.send(call.compress(framed));
                call.finish(Status.OK, new Metadata());
            }
        };
    }

    private static void assertWhole(byte[] message) {
        assertThat(message).hasSize(PARTS * PART);
        for (int i = 0; i < message.length; i += 777) {
            if (message[i] != (byte) (i / PART + i % PART)) {
                Assertions.fail("byte %d is wrong", i);
            }
        }
    }

    private byte[] call(String method, String compression) {
        return ClientCalls.blockingUnaryCall(
                port.channel(builder -> builder.maxInboundMessageSize(WIDE)),
                Bytes.UNARY.toBuilder().setFullMethodName("test.Echo/" + method).build(),
                CallOptions.DEFAULT.withCompression(compression),
                new byte[1]);
    }

    @Test
    void parts_arrive_as_one_message() {
        assertWhole(call("Parts", "identity"));
        assertThat(sentMessages).hasValue(1);
        assertThat(sentBytes).hasValue((long) PARTS * PART);
    }

    @Test
    void parts_go_uncompressed_to_a_client_that_compresses() {
        assertWhole(call("Parts", "gzip"));
        assertThat(sentBytes).hasValue((long) PARTS * PART);
    }

    @Test
    void a_message_that_was_compressed_ahead_is_not_compressed_again() {
        assertThat(call("Ahead", "gzip")).isEqualTo(new byte[PART]);
    }

    @Test
    void a_call_that_sends_parts_keeps_little_in_its_queue() throws Exception {
        var client = port.raw().greet(INITIAL_WINDOW, WIDE);
        client.call(1, "/test.Echo/Parts", new byte[1]);
        client.settle();
        assertThat(mostQueued.get()).isBetween((long) PART, (long) CallOutput.PART_QUEUE_BYTES + PART);
        client.window(0, WIDE);
        var next = client.await(H2Client.DATA);
        assertThat(next.stream()).isEqualTo(1);
        client.answer(1);
        assertThat(mostQueued.get()).isLessThan(CallOutput.PART_QUEUE_BYTES + PART);
    }

    @Test
    void an_end_in_the_middle_of_a_message_is_an_error_for_the_client() throws Exception {
        var client = port.raw().greet(INITIAL_WINDOW, WIDE);
        client.window(0, WIDE);
        client.call(1, "/test.Echo/Broken", new byte[1]);
        var answer = client.answer(1);
        assertThat(answer.body()).hasSize(5 + PART);
        assertThat(answer.status()).isEqualTo(Integer.toString(Status.Code.RESOURCE_EXHAUSTED.value()));
        assertThat(answer.message()).isEqualTo("in the middle");
        Assertions.assertThatThrownBy(() -> call("Broken", "identity")).isInstanceOf(StatusRuntimeException.class);
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The four kinds of call, their ends and errors, seen by gRPC's own Java client. */
@ExtendWith(LeakCheck.class)
class GrpcCallsTest {

    private final TestPort port =
            TestPort.open(builder -> builder.limits(Limits.with(b -> b.maxMessageBytes(5 * 1024 * 1024))));
    private final ManagedChannel channel = port.channel(builder -> builder.maxInboundMessageSize(64 << 20));

    @AfterEach
    void close() throws Exception {
        port.close();
    }

    private byte[] unary(MethodDescriptor<byte[], byte[]> method, byte[] request) {
        return ClientCalls.blockingUnaryCall(channel, method, CallOptions.DEFAULT, request);
    }

    private StatusRuntimeException failure(MethodDescriptor<byte[], byte[]> method, byte[] request) {
        return catchThrowableOfType(StatusRuntimeException.class, () -> unary(method, request));
    }

    /** Gathers a stream's answers; the future fails with the stream. */
    static final class Answers implements StreamObserver<byte[]> {
        final List<byte[]> messages = new ArrayList<>();
        final CompletableFuture<List<byte[]>> done = new CompletableFuture<>();

        @Override
        public void onNext(byte[] message) {
            messages.add(message);
        }

        @Override
        public void onError(Throwable failure) {
            done.completeExceptionally(failure);
        }

        @Override
        public void onCompleted() {
            done.complete(messages);
        }

        List<String> texts() throws Exception {
            return done.get(60, TimeUnit.SECONDS).stream().map(Bytes::text).toList();
        }
    }

    @Test
    void a_unary_call_gets_its_answer() {
        assertThat(Bytes.text(unary(Bytes.UNARY, Bytes.of("hello")))).isEqualTo("hello");
        assertThat(unary(Bytes.UNARY, new byte[0])).isEmpty();
    }

    @Test
    void a_message_of_four_mebibytes_goes_both_ways() {
        byte[] large = Bytes.random(new Random(1), 4 << 20);
        assertThat(unary(Bytes.UNARY, large)).isEqualTo(large);
    }

    @Test
    void a_client_stream_is_collected() throws Exception {
        var answers = new Answers();
        var requests =
                ClientCalls.asyncClientStreamingCall(channel.newCall(Bytes.COLLECT, CallOptions.DEFAULT), answers);
        for (int i = 0; i < 1000; i++) {
            requests.onNext(new byte[i]);
        }
        requests.onCompleted();
        assertThat(answers.texts()).containsExactly("1000 499500");
    }

    @Test
    void a_server_stream_arrives_whole_and_in_order() {
        Iterator<byte[]> answers = ClientCalls.blockingServerStreamingCall(
                channel, Bytes.REPEAT, CallOptions.DEFAULT, Bytes.of("2000 1000"));
        for (int i = 1999; i >= 0; i--) {
            byte[] message = answers.next();
            assertThat(message).hasSize(1000);
            assertThat(new String(message, 0, Integer.toString(i).length(), java.nio.charset.StandardCharsets.UTF_8))
                    .isEqualTo(Integer.toString(i));
        }
        assertThat(answers.hasNext()).isFalse();
    }

    @Test
    void a_bidirectional_stream_echoes_each_message() throws Exception {
        var answers = new Answers();
        var requests = ClientCalls.asyncBidiStreamingCall(channel.newCall(Bytes.BIDI, CallOptions.DEFAULT), answers);
        List<String> sent = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            sent.add("message " + i);
            requests.onNext(Bytes.of(sent.getLast()));
        }
        requests.onCompleted();
        assertThat(answers.texts()).isEqualTo(sent);
    }

    @Test
    void the_clients_half_close_does_not_end_the_servers_stream() throws Exception {
        var answers = new Answers();
        var requests = ClientCalls.asyncBidiStreamingCall(channel.newCall(Bytes.LINGER, CallOptions.DEFAULT), answers);
        requests.onNext(Bytes.of("one"));
        requests.onCompleted();
        assertThat(answers.texts()).containsExactly("one", "after 1", "after 2", "after 3");
    }

    @Test
    void a_hundred_calls_at_once_each_get_their_own_answer() throws Exception {
        List<Future<byte[]>> calls = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            byte[] request = new byte[10_000];
            Arrays.fill(request, (byte) i);
            calls.add(ClientCalls.futureUnaryCall(channel.newCall(Bytes.UNARY, CallOptions.DEFAULT), request));
        }
        for (int i = 0; i < 100; i++) {
            byte[] answer = calls.get(i).get(60, TimeUnit.SECONDS);
            assertThat(answer).hasSize(10_000).containsOnly((byte) i);
        }
    }

    @Test
    void a_status_text_survives_any_character() {
        String text = "50% of ünïcode\n and \"quotes\" \u2603 \ud83d\ude00";
        StatusRuntimeException failure = failure(Bytes.FAIL, Bytes.of("9 " + text));
        assertThat(failure.getStatus().getCode()).isEqualTo(Status.Code.FAILED_PRECONDITION);
        assertThat(failure.getStatus().getDescription()).isEqualTo(text);
    }

    @Test
    void every_status_code_arrives_as_itself() {
        for (Status.Code code : Status.Code.values()) {
            if (code != Status.Code.OK) {
                Status status =
                        failure(Bytes.FAIL, Bytes.of(code.value() + " because")).getStatus();
                assertThat(status.getCode()).isEqualTo(code);
                assertThat(status.getDescription()).isEqualTo("because");
            }
        }
    }

    @Test
    void an_unknown_method_or_service_is_named() {
        assertThat(failure(Bytes.method("Nothing", MethodType.UNARY), Bytes.of("x"))
                        .getStatus())
                .extracting(Status::getCode, Status::getDescription)
                .containsExactly(Status.Code.UNIMPLEMENTED, "unknown method Nothing for service test.Echo");
        assertThat(failure(Bytes.method("test.Other", "Unary", MethodType.UNARY), Bytes.of("x"))
                        .getStatus())
                .extracting(Status::getCode, Status::getDescription)
                .containsExactly(Status.Code.UNIMPLEMENTED, "unknown service test.Other");
    }

    @Test
    void a_defect_in_a_handler_ends_its_call_and_no_other() throws Exception {
        assertThat(failure(Bytes.THROW, Bytes.of("x")).getStatus().getCode()).isEqualTo(Status.Code.INTERNAL);
        assertThat(port.echo.cancels.poll(60, TimeUnit.SECONDS)).isNotNull();
        assertThat(Bytes.text(unary(Bytes.UNARY, Bytes.of("still there")))).isEqualTo("still there");
    }

    @Test
    void a_deadline_ends_the_call_and_tells_the_handler() throws Exception {
        // The connection is there before the call, whose time is for the server alone.
        assertThat(unary(Bytes.UNARY, new byte[1])).hasSize(1);
        var failure = catchThrowableOfType(
                StatusRuntimeException.class,
                () -> ClientCalls.blockingServerStreamingCall(
                                channel,
                                Bytes.method("Hang", MethodType.SERVER_STREAMING),
                                CallOptions.DEFAULT.withDeadlineAfter(2, TimeUnit.SECONDS),
                                Bytes.of("x"))
                        .hasNext());
        assertThat(failure.getStatus().getCode()).isEqualTo(Status.Code.DEADLINE_EXCEEDED);
        Status seen = port.echo.cancels.poll(60, TimeUnit.SECONDS);
        assertThat(seen).isNotNull();
        assertThat(seen.getCode()).isIn(Status.Code.DEADLINE_EXCEEDED, Status.Code.CANCELLED);
    }

    @Test
    void a_cancelled_call_is_told_to_its_handler() throws Exception {
        var call = channel.newCall(Bytes.HANG, CallOptions.DEFAULT);
        ClientCalls.asyncBidiStreamingCall(call, new Answers()).onNext(Bytes.of("x"));
        assertThat(port.echo.hanging.poll(60, TimeUnit.SECONDS)).isNotNull();
        call.cancel("enough", null);
        Status seen = port.echo.cancels.poll(60, TimeUnit.SECONDS);
        assertThat(seen).isNotNull();
        assertThat(seen.getCode()).isEqualTo(Status.Code.CANCELLED);
        assertThat(seen.getDescription()).isEqualTo("context canceled");
        assertThat(port.echo.cancels).isEmpty();
    }

    @Test
    void a_killed_client_cancels_all_its_calls() throws Exception {
        var doomed = port.channel();
        for (int i = 0; i < 10; i++) {
            ClientCalls.asyncBidiStreamingCall(doomed.newCall(Bytes.HANG, CallOptions.DEFAULT), new Answers())
                    .onNext(Bytes.of("x"));
        }
        for (int i = 0; i < 10; i++) {
            assertThat(port.echo.hanging.poll(60, TimeUnit.SECONDS)).isNotNull();
        }
        doomed.shutdownNow();
        for (int i = 0; i < 10; i++) {
            assertThat(port.echo.cancels.poll(60, TimeUnit.SECONDS)).isNotNull();
        }
    }

    @Test
    void sending_and_finishing_after_the_end_does_nothing() throws Exception {
        var call = channel.newCall(Bytes.HANG, CallOptions.DEFAULT);
        ClientCalls.asyncBidiStreamingCall(call, new Answers()).onNext(Bytes.of("x"));
        RawCall server = port.echo.hanging.poll(60, TimeUnit.SECONDS);
        assertThat(server).isNotNull();
        call.cancel("enough", null);
        assertThat(port.echo.cancels.poll(60, TimeUnit.SECONDS)).isNotNull();
        var done = new CountDownLatch(1);
        server.loop().execute(() -> {
            EchoHandlers.send(server, Bytes.of("late"));
            server.finish(Status.OK, new Metadata());
            done.countDown();
        });
        assertThat(done.await(60, TimeUnit.SECONDS)).isTrue();
        assertThat(Bytes.text(unary(Bytes.UNARY, Bytes.of("fine")))).isEqualTo("fine");
    }

    @Test
    void gzip_goes_both_ways() {
        byte[] request = Bytes.of("compress me ".repeat(1000));
        byte[] answer = ClientCalls.blockingUnaryCall(
                channel, Bytes.UNARY, CallOptions.DEFAULT.withCompression("gzip"), request);
        assertThat(answer).isEqualTo(request);
        byte[] small = ClientCalls.blockingUnaryCall(
                channel, Bytes.UNARY, CallOptions.DEFAULT.withCompression("gzip"), Bytes.of("small"));
        assertThat(Bytes.text(small)).isEqualTo("small");
    }

    @Test
    void a_message_larger_than_the_limit_is_refused_with_both_sizes() {
        Status status = failure(Bytes.UNARY, new byte[5 * 1024 * 1024 + 1]).getStatus();
        assertThat(status.getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
        assertThat(status.getDescription()).isEqualTo("grpc: received message larger than max (5242881 vs. 5242880)");
    }
}

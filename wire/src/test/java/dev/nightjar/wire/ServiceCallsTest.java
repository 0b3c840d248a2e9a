/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.grpc.CallOptions;
import io.grpc.Context;
import io.grpc.ForwardingServerCall;
import io.grpc.Grpc;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerInterceptors;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Generated services with interceptors, on the loop and on an executor: written against grpc-java's stubs. */
@ExtendWith(LeakCheck.class)
class ServiceCallsTest {

    private static final String SERVICE = "test.Service";
    private static final Metadata.Key<String> TEXT = Metadata.Key.of("x-text", Metadata.ASCII_STRING_MARSHALLER);
    private static final Metadata.Key<byte[]> BINARY = Metadata.Key.of("x-raw-bin", Metadata.BINARY_BYTE_MARSHALLER);

    private final ExecutorService pool = Executors.newFixedThreadPool(2);
    private final LinkedBlockingQueue<String> threads = new LinkedBlockingQueue<>();
    private final LinkedBlockingQueue<String> ends = new LinkedBlockingQueue<>();
    private TestPort port = TestPort.open();

    @AfterEach
    void close() throws IOException {
        port.close();
        pool.shutdownNow();
    }

    private ManagedChannel open(boolean onLoop) throws IOException {
        return open(onLoop, pool);
    }

    private ManagedChannel open(boolean onLoop, Executor executor) throws IOException {
        port.close();
        ServerServiceDefinition service = ServerInterceptors.intercept(definition(), new EchoMetadata());
        port = TestPort.open(builder -> onLoop ? builder.service(service) : builder.service(service, executor));
        return port.channel();
    }

    /** Sends the request's metadata back, in the headers and in the trailers. */
    private static final class EchoMetadata implements ServerInterceptor {
        @Override
        public <Q, R> ServerCall.Listener<Q> interceptCall(
                ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
            var echo = new ForwardingServerCall.SimpleForwardingServerCall<>(call) {
                @Override
                public void sendHeaders(Metadata answer) {
                    answer.merge(custom(headers));
                    super.sendHeaders(answer);
                }

                @Override
                public void close(Status status, Metadata trailers) {
                    trailers.merge(custom(headers));
                    super.close(status, trailers);
                }
            };
            return next.startCall(echo, headers);
        }

        private static Metadata custom(Metadata headers) {
            var custom = new Metadata();
            for (Metadata.Key<?> key : List.of(TEXT, BINARY)) {
                copy(key, headers, custom);
            }
            return custom;
        }

        private static <T> void copy(Metadata.Key<T> key, Metadata from, Metadata to) {
            Iterable<T> values = from.getAll(key);
            if (values != null) {
                values.forEach(value -> to.put(key, value));
            }
        }
    }

    private ServerServiceDefinition definition() {
        return ServerServiceDefinition.builder(SERVICE)
                .addMethod(
                        Bytes.method(SERVICE, "Unary", MethodType.UNARY),
                        ServerCalls.asyncUnaryCall((byte[] request, StreamObserver<byte[]> answer) -> {
                            threads.add(Thread.currentThread().getName());
                            answer.onNext(request);
                            answer.onCompleted();
                        }))
                .addMethod(
                        Bytes.method(SERVICE, "Collect", MethodType.CLIENT_STREAMING),
                        ServerCalls.asyncClientStreamingCall(ServiceCallsTest::collect))
                .addMethod(
                        Bytes.method(SERVICE, "Repeat", MethodType.SERVER_STREAMING),
                        ServerCalls.asyncServerStreamingCall(ServiceCallsTest::repeat))
                .addMethod(
                        Bytes.method(SERVICE, "Bidi", MethodType.BIDI_STREAMING),
                        ServerCalls.asyncBidiStreamingCall(ServiceCallsTest::bidi))
                .addMethod(
                        Bytes.method(SERVICE, "Hang", MethodType.SERVER_STREAMING),
                        ServerCalls.asyncServerStreamingCall(this::hang))
                .addMethod(
                        Bytes.method(SERVICE, "Throw", MethodType.UNARY),
                        ServerCalls.asyncUnaryCall((byte[] request, StreamObserver<byte[]> answer) -> {
                            throw request.length == 0
                                    ? new IllegalStateException("a defect, on purpose")
                                    : Status.DATA_LOSS.withDescription("known").asRuntimeException();
                        }))
                .build();
    }

    private static StreamObserver<byte[]> collect(StreamObserver<byte[]> answer) {
        return new StreamObserver<>() {
            private int count;

            @Override
            public void onNext(byte[] message) {
                count++;
            }

            @Override
            public void onError(Throwable failure) {}

            @Override
            public void onCompleted() {
                answer.onNext(Bytes.of(Integer.toString(count)));
                answer.onCompleted();
            }
        };
    }

    /** Sends as long as the call is ready, and goes on when it is again. */
    private static void repeat(byte[] request, StreamObserver<byte[]> answer) {
        var call = (ServerCallStreamObserver<byte[]>) answer;
        int[] left = {Integer.parseInt(Bytes.text(request))};
        call.setOnReadyHandler(() -> {
            while (left[0] > 0 && call.isReady()) {
                left[0]--;
                call.onNext(new byte[10_000]);
                if (left[0] == 0) {
                    call.onCompleted();
                }
            }
        });
    }

    private static StreamObserver<byte[]> bidi(StreamObserver<byte[]> answer) {
        return new StreamObserver<>() {
            @Override
            public void onNext(byte[] message) {
                answer.onNext(message);
            }

            @Override
            public void onError(Throwable failure) {}

            @Override
            public void onCompleted() {
                answer.onCompleted();
            }
        };
    }

    private void hang(byte[] request, StreamObserver<byte[]> answer) {
        var call = (ServerCallStreamObserver<byte[]>) answer;
        Context.current().addListener(context -> ends.add("context"), Runnable::run);
        call.setOnCancelHandler(() -> ends.add("cancel " + call.isCancelled()));
        threads.add(Context.current().getDeadline() == null ? "no deadline" : "deadline");
        call.onNext(Bytes.of("begun"));
    }

    private static byte[] unary(ManagedChannel channel, String method, byte[] request) {
        return ClientCalls.blockingUnaryCall(
                channel, Bytes.method(SERVICE, method, MethodType.UNARY), CallOptions.DEFAULT, request);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void a_unary_service_answers_on_its_thread(boolean onLoop) throws Exception {
        ManagedChannel channel = open(onLoop);
        assertThat(Bytes.text(unary(channel, "Unary", Bytes.of("hello")))).isEqualTo("hello");
        assertThat(threads.poll(60, TimeUnit.SECONDS)).startsWith(onLoop ? "nightjar-loop-" : "pool-");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void streams_of_all_kinds_arrive_whole(boolean onLoop) throws Exception {
        ManagedChannel channel = open(onLoop);
        var collected = new GrpcCallsTest.Answers();
        var requests = ClientCalls.asyncClientStreamingCall(
                channel.newCall(Bytes.method(SERVICE, "Collect", MethodType.CLIENT_STREAMING), CallOptions.DEFAULT),
                collected);
        for (int i = 0; i < 1000; i++) {
            requests.onNext(new byte[i]);
        }
        requests.onCompleted();
        assertThat(collected.texts()).containsExactly("1000");

        var echoed = new GrpcCallsTest.Answers();
        var chat = ClientCalls.asyncBidiStreamingCall(
                channel.newCall(Bytes.method(SERVICE, "Bidi", MethodType.BIDI_STREAMING), CallOptions.DEFAULT), echoed);
        List<String> sent = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            sent.add("message " + i);
            chat.onNext(Bytes.of(sent.getLast()));
        }
        chat.onCompleted();
        assertThat(echoed.texts()).isEqualTo(sent);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void a_stream_of_fifty_megabytes_goes_at_the_readers_pace(boolean onLoop) throws Exception {
        ManagedChannel channel = open(onLoop);
        Iterator<byte[]> answers = ClientCalls.blockingServerStreamingCall(
                channel,
                Bytes.method(SERVICE, "Repeat", MethodType.SERVER_STREAMING),
                CallOptions.DEFAULT,
                Bytes.of("5000"));
        for (int i = 0; i < 5000; i++) {
            assertThat(answers.next()).hasSize(10_000);
        }
        assertThat(answers.hasNext()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void metadata_of_both_kinds_comes_back_in_headers_and_trailers(boolean onLoop) throws Exception {
        ManagedChannel channel = open(onLoop);
        var sent = new Metadata();
        sent.put(TEXT, "one");
        sent.put(TEXT, "two, three");
        sent.put(BINARY, new byte[] {0, -1, 127, 10});
        sent.put(BINARY, new byte[0]);
        var headers = new AtomicReference<Metadata>();
        var trailers = new AtomicReference<Metadata>();
        var intercepted = io.grpc.ClientInterceptors.intercept(
                channel,
                MetadataUtils.newAttachHeadersInterceptor(sent),
                MetadataUtils.newCaptureMetadataInterceptor(headers, trailers));
        ClientCalls.blockingUnaryCall(
                intercepted, Bytes.method(SERVICE, "Unary", MethodType.UNARY), CallOptions.DEFAULT, new byte[1]);
        for (Metadata got : List.of(headers.get(), trailers.get())) {
            assertThat(got.getAll(TEXT)).containsExactly("one", "two, three");
            assertThat(got.getAll(BINARY)).containsExactly(new byte[] {0, -1, 127, 10}, new byte[0]);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void a_cancel_reaches_service_and_context(boolean onLoop) throws Exception {
        ManagedChannel channel = open(onLoop);
        Context.CancellableContext context = Context.current().withCancellation();
        var method = Bytes.method(SERVICE, "Hang", MethodType.SERVER_STREAMING);
        context.run(() -> ClientCalls.asyncServerStreamingCall(
                channel.newCall(method, CallOptions.DEFAULT), new byte[1], new GrpcCallsTest.Answers()));
        assertThat(threads.poll(60, TimeUnit.SECONDS)).isEqualTo("no deadline");
        context.cancel(null);
        assertThat(List.of(
                        java.util.Objects.requireNonNull(ends.poll(60, TimeUnit.SECONDS)),
                        java.util.Objects.requireNonNull(ends.poll(60, TimeUnit.SECONDS))))
                .containsExactlyInAnyOrder("cancel true", "context");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void a_deadline_is_known_and_kept(boolean onLoop) throws Exception {
        ManagedChannel channel = open(onLoop);
        // The connection is there before the call, whose time is for the service alone.
        assertThat(unary(channel, "Unary", new byte[1])).hasSize(1);
        assertThat(threads.poll(60, TimeUnit.SECONDS)).isNotNull();
        var method = Bytes.method(SERVICE, "Hang", MethodType.SERVER_STREAMING);
        Iterator<byte[]> answers = ClientCalls.blockingServerStreamingCall(
                channel, method, CallOptions.DEFAULT.withDeadlineAfter(2, TimeUnit.SECONDS), new byte[1]);
        var failure = catchThrowableOfType(StatusRuntimeException.class, () -> {
            while (answers.hasNext()) {
                answers.next();
            }
        });
        assertThat(failure.getStatus().getCode()).isEqualTo(Status.Code.DEADLINE_EXCEEDED);
        assertThat(threads.poll(60, TimeUnit.SECONDS)).isEqualTo("deadline");
        assertThat(ends.poll(60, TimeUnit.SECONDS)).isNotNull();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void failures_of_a_service_become_statuses(boolean onLoop) throws Exception {
        ManagedChannel channel = open(onLoop);
        var defect = catchThrowableOfType(StatusRuntimeException.class, () -> unary(channel, "Throw", new byte[0]));
        assertThat(defect.getStatus().getCode()).isEqualTo(Status.Code.UNKNOWN);
        var known = catchThrowableOfType(StatusRuntimeException.class, () -> unary(channel, "Throw", new byte[1]));
        assertThat(known.getStatus().getCode()).isEqualTo(Status.Code.DATA_LOSS);
        assertThat(known.getStatus().getDescription()).isEqualTo("known");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false})
    void a_full_executor_refuses_the_call(boolean onLoop) throws Exception {
        ManagedChannel channel = open(onLoop, task -> {
            throw new RejectedExecutionException("full, on purpose");
        });
        var failure = catchThrowableOfType(StatusRuntimeException.class, () -> unary(channel, "Unary", new byte[1]));
        assertThat(failure.getStatus().getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
        assertThat(Bytes.text(ClientCalls.blockingUnaryCall(
                        channel, Bytes.UNARY, CallOptions.DEFAULT, Bytes.of("others live"))))
                .isEqualTo("others live");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void the_clients_address_is_an_attribute(boolean onLoop) throws Exception {
        var seen = new LinkedBlockingQueue<Object>();
        port.close();
        ServerServiceDefinition service = ServerInterceptors.intercept(definition(), new ServerInterceptor() {
            @Override
            public <Q, R> ServerCall.Listener<Q> interceptCall(
                    ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
                seen.add(java.util.Objects.requireNonNull(call.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR)));
                seen.add(java.util.Objects.requireNonNull(call.getAuthority()));
                return next.startCall(call, headers);
            }
        });
        port = TestPort.open(builder -> onLoop ? builder.service(service) : builder.service(service, pool));
        unary(port.channel(), "Unary", new byte[1]);
        assertThat(seen.poll(60, TimeUnit.SECONDS)).asString().contains("127.0.0.1");
        assertThat(seen.poll(60, TimeUnit.SECONDS))
                .asString()
                .endsWith(":" + port.address().getPort());
    }
}

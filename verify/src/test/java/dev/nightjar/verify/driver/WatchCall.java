/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.driver;

import com.google.protobuf.ByteString;
import dev.nightjar.api.etcdserverpb.WatchCancelRequest;
import dev.nightjar.api.etcdserverpb.WatchCreateRequest;
import dev.nightjar.api.etcdserverpb.WatchProgressRequest;
import dev.nightjar.api.etcdserverpb.WatchRequest;
import dev.nightjar.api.etcdserverpb.WatchResponse;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import io.grpc.stub.MetadataUtils;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * One raw Watch call: requests go out as they are given, responses come in the order of the wire, and nothing is resumed,
 * joined or hidden. Requests from one thread; responses are awaited by one thread.
 */
public final class WatchCall implements AutoCloseable {
    private static final Duration ANSWER = Duration.ofSeconds(ApiClient.ANSWER_SECONDS);

    private sealed interface Signal {
        record Message(WatchResponse response) implements Signal {}

        record End(Status status) implements Signal {}
    }

    private final BlockingQueue<Signal> signals = new LinkedBlockingQueue<>();
    private final Requests requests;
    private boolean ended;

    private WatchCall(ApiClient api, Metadata metadata, boolean reading) {
        requests = new Requests(reading);
        var _ = api.watch()
                .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(metadata))
                .watch(requests);
    }

    /** A call whose responses are taken from the connection as they come. */
    public static WatchCall open(ApiClient api) {
        return new WatchCall(api, new Metadata(), true);
    }

    /** A call that takes no response from the connection until {@link #read} says so. */
    public static WatchCall openUnread(ApiClient api) {
        return new WatchCall(api, new Metadata(), false);
    }

    /** A call with request metadata. */
    public static WatchCall open(ApiClient api, Metadata metadata) {
        return new WatchCall(api, metadata, true);
    }

    /** A create request for one key, to be refined. */
    public static WatchCreateRequest.Builder key(String key) {
        return WatchCreateRequest.newBuilder().setKey(ByteString.copyFromUtf8(key));
    }

    /** A create request for all keys with a prefix, to be refined. */
    public static WatchCreateRequest.Builder prefix(String prefix) {
        return key(prefix).setRangeEnd(ApiClient.prefixEnd(ByteString.copyFromUtf8(prefix)));
    }

    /** A create request for the whole key space, to be refined. */
    public static WatchCreateRequest.Builder everything() {
        return WatchCreateRequest.newBuilder().setKey(ApiClient.ZERO).setRangeEnd(ApiClient.ZERO);
    }

    /** Sends a create request. */
    public void create(WatchCreateRequest.Builder request) {
        send(WatchRequest.newBuilder().setCreateRequest(request).build());
    }

    /** Sends a create request and returns its answer, which must be the next response of the call. */
    public WatchResponse created(WatchCreateRequest.Builder request) {
        create(request);
        WatchResponse response = next();
        if (!response.getCreated()) {
            throw new AssertionError("expected the answer to a create request, got: " + response);
        }
        return response;
    }

    public void cancel(long watchId) {
        send(WatchRequest.newBuilder()
                .setCancelRequest(WatchCancelRequest.newBuilder().setWatchId(watchId))
                .build());
    }

    public void requestProgress() {
        send(WatchRequest.newBuilder()
                .setProgressRequest(WatchProgressRequest.getDefaultInstance())
                .build());
    }

    public void send(WatchRequest request) {
        requests.stream().onNext(request);
    }

    /** Says that no more requests will come. */
    public void halfClose() {
        requests.stream().onCompleted();
    }

    /** Takes {@code count} more responses from the connection; for calls that were opened unread. */
    public void read(int count) {
        requests.stream().request(count);
    }

    /** The next response; fails if none comes or the call ends. */
    public WatchResponse next() {
        return nextWithin(ANSWER).orElseThrow(() -> new AssertionError("no watch response within " + ANSWER));
    }

    /** The next response, or nothing if the wait is over before; fails if the call ends. */
    public Optional<WatchResponse> nextWithin(Duration wait) {
        return switch (take(wait)) {
            case null -> Optional.empty();
            case Signal.Message(WatchResponse response) -> Optional.of(response);
            case Signal.End(Status status) -> throw new AssertionError("the watch call ended: " + status);
        };
    }

    /** The next response, or nothing if the wait is over before or the call has ended; {@link #hasEnded} tells which. */
    public Optional<WatchResponse> poll(Duration wait) {
        return switch (take(wait)) {
            case Signal.Message(WatchResponse response) -> Optional.of(response);
            case Signal.End _ -> {
                ended = true;
                yield Optional.empty();
            }
            case null -> Optional.empty();
        };
    }

    /** Whether {@link #poll} has come to the end of the call. */
    public boolean hasEnded() {
        return ended;
    }

    /** Responses up to and including the first that fits. */
    public List<WatchResponse> until(Predicate<WatchResponse> last) {
        List<WatchResponse> all = new ArrayList<>();
        do {
            all.add(next());
        } while (!last.test(all.getLast()));
        return all;
    }

    /** Responses until at least {@code count} events have come. */
    public List<WatchResponse> events(int count) {
        int[] left = {count};
        return until(response -> (left[0] -= response.getEventsCount()) <= 0);
    }

    /** The status that the call ends with; fails on any further response. */
    public Status end() {
        return switch (take(ANSWER)) {
            case null -> throw new AssertionError("the watch call did not end within " + ANSWER);
            case Signal.Message(WatchResponse response) ->
                throw new AssertionError("expected the end of the call, got: " + response);
            case Signal.End(Status status) -> status;
        };
    }

    private @Nullable Signal take(Duration wait) {
        try {
            return signals.poll(wait.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while waiting for a watch response", e);
        }
    }

    /** Ends the call; responses that still come are dropped. */
    @Override
    public void close() {
        requests.stream().cancel("closed by the test", null);
    }

    private final class Requests implements ClientResponseObserver<WatchRequest, WatchResponse> {
        private final boolean reading;
        private @Nullable ClientCallStreamObserver<WatchRequest> stream;

        Requests(boolean reading) {
            this.reading = reading;
        }

        ClientCallStreamObserver<WatchRequest> stream() {
            if (stream == null) {
                throw new IllegalStateException("the call has not been started");
            }
            return stream;
        }

        @Override
        public void beforeStart(ClientCallStreamObserver<WatchRequest> requestStream) {
            stream = requestStream;
            if (!reading) {
                requestStream.disableAutoRequestWithInitial(0);
            }
        }

        @Override
        public void onNext(WatchResponse response) {
            signals.add(new Signal.Message(response));
        }

        @Override
        public void onError(Throwable failure) {
            signals.add(new Signal.End(Status.fromThrowable(failure)));
        }

        @Override
        public void onCompleted() {
            signals.add(new Signal.End(Status.OK));
        }
    }
}

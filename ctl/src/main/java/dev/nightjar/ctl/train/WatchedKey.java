/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.ctl.train;

import com.google.protobuf.ByteString;
import dev.nightjar.api.etcdserverpb.WatchCreateRequest;
import dev.nightjar.api.etcdserverpb.WatchGrpc;
import dev.nightjar.api.etcdserverpb.WatchRequest;
import dev.nightjar.api.etcdserverpb.WatchResponse;
import io.grpc.ManagedChannel;
import io.grpc.stub.StreamObserver;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Many watchers of one key, some on each channel, that count what comes. Counts are guarded by this object's monitor. */
final class WatchedKey {
    private static final long CREATE_SECONDS = 10;

    private final CountDownLatch created;
    private long events;
    private @Nullable Throwable failure;

    /** Creates the watchers and returns when all are there. */
    WatchedKey(List<ManagedChannel> channels, ByteString key, int watchers)
            throws TimeoutException, InterruptedException {
        created = new CountDownLatch(watchers);
        WatchRequest request = WatchRequest.newBuilder()
                .setCreateRequest(WatchCreateRequest.newBuilder().setKey(key))
                .build();
        List<StreamObserver<WatchRequest>> streams = channels.stream()
                .map(channel -> WatchGrpc.newStub(channel).watch(new Counter()))
                .toList();
        for (int i = 0; i < watchers; i++) {
            streams.get(i % streams.size()).onNext(request);
        }
        if (!created.await(CREATE_SECONDS, TimeUnit.SECONDS)) {
            throw new TimeoutException(created.getCount() + " watchers were not created");
        }
    }

    /** Returns when so many events have come in all. */
    synchronized void awaitEvents(long wanted, long seconds) throws TimeoutException, InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        while (events < wanted) {
            long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
            if (left <= 0 || failure != null) {
                TimeoutException missing =
                        new TimeoutException("the watchers got " + events + " of " + wanted + " events");
                missing.initCause(failure);
                throw missing;
            }
            wait(left);
        }
    }

    private synchronized void add(int more) {
        events += more;
        notifyAll();
    }

    private synchronized void fail(Throwable cause) {
        failure = cause;
        notifyAll();
    }

    private final class Counter implements StreamObserver<WatchResponse> {
        @Override
        public void onNext(WatchResponse response) {
            if (response.getCreated()) {
                created.countDown();
            }
            if (response.getEventsCount() > 0) {
                add(response.getEventsCount());
            }
        }

        @Override
        public void onError(Throwable cause) {
            fail(cause);
        }

        @Override
        public void onCompleted() {
            fail(new IllegalStateException("the server ended the stream"));
        }
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.ctl.command;

import dev.nightjar.api.etcdserverpb.WatchCreateRequest;
import dev.nightjar.api.etcdserverpb.WatchGrpc;
import dev.nightjar.api.etcdserverpb.WatchProgressRequest;
import dev.nightjar.api.etcdserverpb.WatchRequest;
import dev.nightjar.api.etcdserverpb.WatchResponse;
import io.grpc.Status;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import java.util.concurrent.BlockingQueue;
import org.jspecify.annotations.Nullable;

/**
 * One watch call. Requests come from the thread of the watch. Responses arrive on a thread of gRPC, one at a time, and are queued for
 * that thread, which asks for the next when it is done with one.
 */
final class WatchStream implements ClientResponseObserver<WatchRequest, WatchResponse> {

    private final int number;
    private final BlockingQueue<WatchSignal> signals;
    private @Nullable ClientCallStreamObserver<WatchRequest> call;

    private WatchStream(int number, BlockingQueue<WatchSignal> signals) {
        this.number = number;
        this.signals = signals;
    }

    /**
     * Opens a stream.
     *
     * @param number goes back with each signal, to tell those of an old stream from those of a new one
     */
    static WatchStream open(int number, WatchGrpc.WatchStub stub, BlockingQueue<WatchSignal> signals) {
        WatchStream stream = new WatchStream(number, signals);
        stub.watch(stream);
        return stream;
    }

    int number() {
        return number;
    }

    void create(WatchCreateRequest request) {
        call().onNext(WatchRequest.newBuilder().setCreateRequest(request).build());
    }

    void askProgress() {
        call().onNext(WatchRequest.newBuilder()
                .setProgressRequest(WatchProgressRequest.getDefaultInstance())
                .build());
    }

    /** Asks for the next response; the last one has been dealt with. */
    void next() {
        call().request(1);
    }

    void cancel() {
        call().cancel("no longer needed", null);
    }

    @Override
    public void beforeStart(ClientCallStreamObserver<WatchRequest> requests) {
        requests.disableAutoRequestWithInitial(1);
        call = requests;
    }

    @Override
    public void onNext(WatchResponse response) {
        put(new WatchSignal.Received(number, response));
    }

    @Override
    public void onError(Throwable failure) {
        put(new WatchSignal.Ended(number, Status.fromThrowable(failure)));
    }

    @Override
    public void onCompleted() {
        put(new WatchSignal.Ended(number, Status.UNAVAILABLE.withDescription("the server ended the stream")));
    }

    private ClientCallStreamObserver<WatchRequest> call() {
        if (call == null) {
            throw new IllegalStateException("not open");
        }
        return call;
    }

    private void put(WatchSignal signal) {
        try {
            signals.put(signal);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.rpc;

import dev.nightjar.api.health.HealthCheckRequest;
import dev.nightjar.api.health.HealthCheckResponse;
import dev.nightjar.api.health.HealthGrpc;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;

/**
 * The standard health service: serving, for as long as the port is open. Knows the server as a whole (the empty name);
 * whether this member can reach a quorum is told by {@code /health} and {@code /readyz}.
 */
public final class HealthService extends HealthGrpc.HealthImplBase {
    private static final HealthCheckResponse SERVING = HealthCheckResponse.newBuilder()
            .setStatus(HealthCheckResponse.ServingStatus.SERVING)
            .build();
    private static final HealthCheckResponse UNKNOWN = HealthCheckResponse.newBuilder()
            .setStatus(HealthCheckResponse.ServingStatus.SERVICE_UNKNOWN)
            .build();

    @Override
    public void check(HealthCheckRequest request, StreamObserver<HealthCheckResponse> observer) {
        if (!request.getService().isEmpty()) {
            observer.onError(Status.NOT_FOUND.withDescription("unknown service").asRuntimeException());
            return;
        }
        observer.onNext(SERVING);
        observer.onCompleted();
    }

    /** Tells the state once; it does not change while the port is open, so the stream stays quiet after that. */
    @Override
    public void watch(HealthCheckRequest request, StreamObserver<HealthCheckResponse> observer) {
        observer.onNext(request.getService().isEmpty() ? SERVING : UNKNOWN);
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.wire;

import io.grpc.Metadata;
import io.grpc.ServerMethodDefinition;
import io.grpc.Status;
import io.netty.handler.codec.http2.Http2Headers;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** Serves one method of a generated service: makes a {@link ServiceCall} for each call. Stateless. */
final class ServiceHandler<Q, R> implements RawHandler {

    private final ServerMethodDefinition<Q, R> method;
    private final @Nullable Executor executor;

    ServiceHandler(ServerMethodDefinition<Q, R> method, @Nullable Executor executor) {
        this.method = method;
        this.executor = executor;
    }

    @Override
    public RawCall.Listener start(RawCall call, Http2Headers headers) {
        Metadata metadata;
        try {
            metadata = MetadataCodec.read(headers);
        } catch (IllegalArgumentException e) {
            call.finish(Status.INTERNAL.withDescription(e.getMessage()), new Metadata());
            return RawCall.Listener.DEAF;
        }
        @Nullable CharSequence authority = headers.authority();
        var serviceCall =
                new ServiceCall<>((GrpcCall) call, method, executor, authority == null ? null : authority.toString());
        serviceCall.start(metadata);
        return serviceCall;
    }
}

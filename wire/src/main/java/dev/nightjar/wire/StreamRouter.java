/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.wire;

import io.grpc.Metadata;
import io.grpc.Status;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2Stream;
import io.netty.util.AsciiString;
import org.jspecify.annotations.Nullable;

/** Decides what a new stream is: a gRPC call, a plain request, or something to refuse. On the connection's loop. */
final class StreamRouter {

    private final ServerConnection connection;
    private final PortConfig config;

    StreamRouter(ServerConnection connection, PortConfig config) {
        this.connection = connection;
        this.config = config;
    }

    void begin(Http2Stream stream, Http2Headers headers, boolean endOfStream) {
        @Nullable CharSequence path = headers.path();
        if (path == null) {
            refuse(stream, HttpResponseStatus.METHOD_NOT_ALLOWED, Status.UNIMPLEMENTED);
            return;
        }
        @Nullable CharSequence type = headers.get(GrpcHeaders.CONTENT_TYPE);
        MethodTable.Method method = config.methods().find(path);
        if (type != null && GrpcHeaders.isGrpc(type)) {
            beginCall(stream, headers, method, endOfStream);
        } else if (method != null) {
            Status status = Status.INVALID_ARGUMENT.withDescription(
                    "invalid gRPC request content-type \"" + (type == null ? "" : type) + "\"");
            refuse(stream, HttpResponseStatus.UNSUPPORTED_MEDIA_TYPE, status);
        } else {
            var request = new Http2Request(connection, stream, headers);
            connection.attach(stream, request);
            if (endOfStream) {
                request.onHalfClose();
            }
        }
    }

    private void beginCall(
            Http2Stream stream, Http2Headers headers, MethodTable.@Nullable Method method, boolean endOfStream) {
        CharSequence verb = headers.method();
        if (!AsciiString.contentEquals(verb, GrpcHeaders.POST)) {
            Status status = Status.INTERNAL.withDescription(
                    "Received a HEADERS frame with :method \"" + verb + "\" which should be POST");
            refuse(stream, HttpResponseStatus.METHOD_NOT_ALLOWED, status);
            return;
        }
        if (method == null) {
            refuse(stream, HttpResponseStatus.OK, config.methods().unknown(headers.path()));
            return;
        }
        long timeoutNanos = GrpcCall.NO_TIMEOUT;
        @Nullable CharSequence timeout = headers.get(GrpcHeaders.TIMEOUT);
        if (timeout != null) {
            timeoutNanos = GrpcTimeout.parseNanos(timeout);
            if (timeoutNanos == GrpcTimeout.MALFORMED) {
                Status status = Status.INTERNAL.withDescription("malformed grpc-timeout: \"" + timeout + "\"");
                refuse(stream, HttpResponseStatus.BAD_REQUEST, status);
                return;
            }
        }
        @Nullable CharSequence encoding = headers.get(GrpcHeaders.ENCODING);
        boolean gzip = encoding != null && AsciiString.contentEquals(encoding, GrpcHeaders.GZIP);
        if (encoding != null && !gzip && !AsciiString.contentEquals(encoding, GrpcHeaders.IDENTITY)) {
            Status status = Status.UNIMPLEMENTED.withDescription(
                    "grpc: Decompressor is not installed for grpc-encoding \"" + encoding + "\"");
            refuse(stream, HttpResponseStatus.OK, status);
            return;
        }
        var call = new GrpcCall(connection, stream, method, gzip);
        connection.attach(stream, call);
        call.start(headers, timeoutNanos, endOfStream);
    }

    private void refuse(Http2Stream stream, HttpResponseStatus http, Status status) {
        connection.output().writeEnd(stream, GrpcHeaders.endOnly(http.code(), status, new Metadata()));
    }
}

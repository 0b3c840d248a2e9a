/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.wire;

import io.grpc.Metadata;
import io.grpc.Status;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.ReadOnlyHttp2Headers;
import io.netty.util.AsciiString;
import java.nio.charset.StandardCharsets;

/** Names, constant header blocks, and the blocks that begin and end an answer. Stateless. */
final class GrpcHeaders {

    static final AsciiString CONTENT_TYPE = AsciiString.cached("content-type");
    static final AsciiString GRPC = AsciiString.cached("application/grpc");
    static final AsciiString TIMEOUT = AsciiString.cached("grpc-timeout");
    static final AsciiString ENCODING = AsciiString.cached("grpc-encoding");
    static final AsciiString ACCEPT_ENCODING = AsciiString.cached("grpc-accept-encoding");
    static final AsciiString STATUS = AsciiString.cached("grpc-status");
    static final AsciiString MESSAGE = AsciiString.cached("grpc-message");
    static final AsciiString GZIP = AsciiString.cached("gzip");
    static final AsciiString IDENTITY = AsciiString.cached("identity");
    static final AsciiString SUPPORTED_ENCODINGS = AsciiString.cached("gzip,identity");
    static final AsciiString POST = AsciiString.cached("POST");

    private static final AsciiString OK_200 = AsciiString.cached("200");

    /** Begins an ordinary answer. */
    static final Http2Headers BEGIN = ReadOnlyHttp2Headers.serverHeaders(false, OK_200, CONTENT_TYPE, GRPC);

    /** Begins an answer with compressed messages. */
    static final Http2Headers BEGIN_GZIP =
            ReadOnlyHttp2Headers.serverHeaders(false, OK_200, CONTENT_TYPE, GRPC, ENCODING, GZIP);

    /** Ends a successful answer. */
    static final Http2Headers END_OK = ReadOnlyHttp2Headers.trailers(false, STATUS, AsciiString.cached("0"));

    private static final AsciiString[] CODES = codes();
    private static final char[] HEX = "0123456789ABCDEF".toCharArray();

    private GrpcHeaders() {}

    /** Whether a content-type names gRPC, with or without a suffix for the message format; gRPC-Web is another thing. */
    static boolean isGrpc(CharSequence contentType) {
        int length = GRPC.length();
        if (contentType.length() < length || !AsciiString.regionMatches(contentType, true, 0, GRPC, 0, length)) {
            return false;
        }
        if (contentType.length() == length) {
            return true;
        }
        char next = contentType.charAt(length);
        return next == '+' || next == ';';
    }

    /** The block that begins an answer with metadata. */
    static Http2Headers begin(boolean gzip, Metadata metadata) {
        if (metadata.keys().isEmpty()) {
            return gzip ? BEGIN_GZIP : BEGIN;
        }
        Http2Headers headers = new DefaultHttp2Headers(false).status(OK_200).set(CONTENT_TYPE, GRPC);
        if (gzip) {
            headers.set(ENCODING, GZIP);
        }
        MetadataCodec.write(metadata, headers);
        return headers;
    }

    /** The block that ends an answer. */
    static Http2Headers end(Status status, Metadata trailers) {
        if (status.isOk() && status.getDescription() == null && trailers.keys().isEmpty()) {
            return END_OK;
        }
        return fill(new DefaultHttp2Headers(false), status, trailers);
    }

    /** The single block of an answer that consists of its end. */
    static Http2Headers endOnly(int httpStatus, Status status, Metadata trailers) {
        Http2Headers headers = new DefaultHttp2Headers(false)
                .status(AsciiString.of(Integer.toString(httpStatus)))
                .set(CONTENT_TYPE, GRPC);
        return fill(headers, status, trailers);
    }

    private static Http2Headers fill(Http2Headers headers, Status status, Metadata trailers) {
        headers.set(STATUS, CODES[status.getCode().value()]);
        String description = status.getDescription();
        if (description != null) {
            headers.set(MESSAGE, percentEncode(description));
        }
        if (status.getCode() == Status.Code.UNIMPLEMENTED) {
            headers.set(ACCEPT_ENCODING, SUPPORTED_ENCODINGS);
        }
        MetadataCodec.write(trailers, headers);
        return headers;
    }

    /** Everything but printable ASCII without the percent sign becomes {@code %XX} of its UTF-8 bytes. */
    static CharSequence percentEncode(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        var out = new StringBuilder(bytes.length + 16);
        for (byte b : bytes) {
            if (b >= ' ' && b <= '~' && b != '%') {
                out.append((char) b);
            } else {
                out.append('%').append(HEX[(b >> 4) & 0xf]).append(HEX[b & 0xf]);
            }
        }
        return AsciiString.of(out);
    }

    private static AsciiString[] codes() {
        var codes = new AsciiString[Status.Code.values().length];
        for (int i = 0; i < codes.length; i++) {
            codes[i] = AsciiString.cached(Integer.toString(i));
        }
        return codes;
    }
}

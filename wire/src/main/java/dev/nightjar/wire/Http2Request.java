/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2Stream;
import io.netty.util.AsciiString;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A plain request on an HTTP/2 stream; owned by the connection's loop, answered from any thread. */
@SuppressWarnings("FutureReturnValueIgnored") // a failed write or close ends the connection, which is told elsewhere
final class Http2Request implements HttpExchange, StreamOwner {

    private static final Logger LOG = LoggerFactory.getLogger(Http2Request.class);

    private final ServerConnection connection;
    private final Http2Stream stream;
    private final Http2Headers headers;
    private final AtomicBoolean responded = new AtomicBoolean();

    private HttpTarget target = new HttpTarget("", Map.of());
    private @Nullable ByteBuf received;
    private byte[] body = {};
    private boolean closed;
    private boolean answered;

    Http2Request(ServerConnection connection, Http2Stream stream, Http2Headers headers) {
        this.connection = connection;
        this.stream = stream;
        this.headers = headers;
    }

    @Override
    public int onData(ByteBuf data, boolean endOfStream) {
        int bytes = data.readableBytes();
        if (!answered && !closed) {
            keep(data);
        }
        if (endOfStream) {
            onHalfClose();
        }
        return bytes;
    }

    private void keep(ByteBuf data) {
        ByteBuf kept = received;
        if (kept == null) {
            kept = connection.ctx().alloc().buffer(data.readableBytes());
            received = kept;
        }
        int bytes = data.readableBytes();
        boolean tooLarge =
                kept.readableBytes() + bytes > connection.config().limits().maxMessageBytes();
        if (tooLarge || !connection.hold(bytes)) {
            refuse(HttpResponseStatus.REQUEST_ENTITY_TOO_LARGE);
        } else {
            kept.writeBytes(data);
        }
    }

    @Override
    public void onHalfClose() {
        if (answered || closed) {
            return;
        }
        if (received != null) {
            body = ByteBufUtil.getBytes(received);
        }
        drop();
        if (connection.room().isOverfull()) {
            refuse(HttpResponseStatus.SERVICE_UNAVAILABLE);
            return;
        }
        try {
            target = HttpTarget.parse(headers.path().toString());
        } catch (IllegalArgumentException e) {
            refuse(HttpResponseStatus.BAD_REQUEST);
            return;
        }
        try {
            connection.config().http().handle(this);
        } catch (RuntimeException e) {
            LOG.error("{} {} failed", headers.method(), headers.path(), e);
            refuse(HttpResponseStatus.INTERNAL_SERVER_ERROR);
        }
    }

    private void drop() {
        ByteBuf kept = received;
        if (kept != null) {
            received = null;
            connection.hold(-kept.readableBytes());
            kept.release();
        }
    }

    @Override
    public void onStreamClosed() {
        closed = true;
        drop();
    }

    @Override
    public void onMaybeWritable() {}

    @Override
    public void onSent(int bytes) {}

    @Override
    public String method() {
        return headers.method().toString();
    }

    @Override
    public String path() {
        return target.path();
    }

    @Override
    public Map<String, List<String>> query() {
        return target.query();
    }

    @Override
    public @Nullable String header(String name) {
        String wanted = name.equalsIgnoreCase("host") ? ":authority" : name.toLowerCase(Locale.ROOT);
        @Nullable CharSequence value = headers.get(wanted);
        return value == null ? null : value.toString();
    }

    @Override
    public byte[] body() {
        return body;
    }

    @Override
    public @Nullable SSLSession tlsSession() {
        return connection.tlsSession();
    }

    @Override
    public void respond(int status, String contentType, byte[] content, Map<String, String> extra) {
        if (!responded.compareAndSet(false, true)) {
            throw new IllegalStateException("this request has been answered");
        }
        var loop = connection.loop();
        if (loop.inEventLoop()) {
            write(status, contentType, content, extra);
        } else {
            loop.execute(() -> write(status, contentType, content, extra));
        }
    }

    private void refuse(HttpResponseStatus status) {
        if (responded.compareAndSet(false, true)) {
            byte[] text = (status.reasonPhrase() + "\n").getBytes(StandardCharsets.US_ASCII);
            write(status.code(), "text/plain; charset=utf-8", text, Map.of());
        }
    }

    private void write(int status, String contentType, byte[] content, Map<String, String> extra) {
        answered = true;
        drop();
        if (closed) {
            return;
        }
        Http2Headers answer = new DefaultHttp2Headers()
                .status(Integer.toString(status))
                .set(HttpHeaderNames.CONTENT_TYPE, contentType)
                .setInt(HttpHeaderNames.CONTENT_LENGTH, content.length);
        extra.forEach((name, value) -> answer.set(AsciiString.of(name.toLowerCase(Locale.ROOT)), value));
        if (content.length == 0 || HttpMethod.HEAD.asciiName().contentEquals(headers.method())) {
            connection.output().writeEnd(stream, answer);
        } else {
            connection.output().writeHeaders(stream, answer);
            connection.output().writeLastData(stream, this, Unpooled.wrappedBuffer(content));
        }
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.wire;

import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/** An HTTP/1.1 request and its answer; immutable but for whether it has been answered, which any thread may do. */
@SuppressWarnings("FutureReturnValueIgnored") // a failed write or close ends the connection, which is told elsewhere
final class Http1Exchange implements HttpExchange {

    private final Http1Connection connection;
    private final ChannelHandlerContext ctx;
    private final String method;
    private final HttpHeaders headers;
    private final HttpTarget target;
    private final byte[] body;
    private final boolean keepAlive;
    private final AtomicBoolean responded = new AtomicBoolean();

    Http1Exchange(
            Http1Connection connection,
            ChannelHandlerContext ctx,
            FullHttpRequest request,
            HttpTarget target,
            byte[] body) {
        this.connection = connection;
        this.ctx = ctx;
        this.method = request.method().name();
        this.headers = request.headers();
        this.target = target;
        this.body = body;
        this.keepAlive = HttpUtil.isKeepAlive(request);
    }

    @Override
    public String method() {
        return method;
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
        return headers.get(name);
    }

    @Override
    public byte[] body() {
        return body;
    }

    @Override
    public @Nullable SSLSession tlsSession() {
        return Peers.tlsSession(ctx.channel());
    }

    @Override
    public void respond(int status, String contentType, byte[] content, Map<String, String> extra) {
        if (!responded.compareAndSet(false, true)) {
            throw new IllegalStateException("this request has been answered");
        }
        write(new Http1Connection.Answer(status, contentType, content, extra), keepAlive);
    }

    /** Answers with an error and closes, unless the handler has answered. */
    void fail(HttpResponseStatus status) {
        if (responded.compareAndSet(false, true)) {
            byte[] text = Http1Connection.text(status);
            write(new Http1Connection.Answer(status.code(), "text/plain; charset=utf-8", text, Map.of()), false);
        }
    }

    private void write(Http1Connection.Answer answer, boolean stay) {
        if (ctx.executor().inEventLoop()) {
            connection.write(ctx, answer, stay);
        } else {
            ctx.executor().execute(() -> connection.write(ctx, answer, stay));
        }
    }
}

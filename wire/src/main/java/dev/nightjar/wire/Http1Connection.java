/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.wire;

import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.netty.handler.flow.FlowControlHandler;
import io.netty.util.concurrent.Future;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One HTTP/1.1 connection; owned by its loop. One request at a time: while one is being answered nothing is read, so
 * that pipelined requests wait in order and under the socket's flow control.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a failed write or close ends the connection, which is told elsewhere
final class Http1Connection extends SimpleChannelInboundHandler<FullHttpRequest> {

    private static final Logger LOG = LoggerFactory.getLogger(Http1Connection.class);

    /** Longest request line; queries on this port are short. */
    private static final int MAX_LINE_BYTES = 8 * 1024;

    private final PortConfig config;
    private @Nullable Future<?> timeout;
    private boolean answering;
    private boolean draining;

    private Http1Connection(PortConfig config) {
        this.config = config;
    }

    static void addTo(ChannelPipeline pipeline, PortConfig config) {
        var limits = new HttpDecoderConfig()
                .setMaxInitialLineLength(MAX_LINE_BYTES)
                .setMaxHeaderSize(config.limits().maxHeaderListBytes());
        pipeline.addLast(new HttpServerCodec(limits));
        pipeline.addLast(new HttpObjectAggregator(config.limits().maxMessageBytes(), true));
        pipeline.addLast(new FlowControlHandler());
        pipeline.addLast(new Http1Connection(config));
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        awaitRequest(ctx);
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        stopTimer();
    }

    private void awaitRequest(ChannelHandlerContext ctx) {
        stopTimer();
        long nanos = config.tuning().headerTimeout().toNanos();
        timeout = ctx.executor().schedule(() -> ctx.close(), nanos, TimeUnit.NANOSECONDS);
    }

    private void stopTimer() {
        Future<?> timer = timeout;
        if (timer != null) {
            timer.cancel(false);
            timeout = null;
        }
    }

    @Override
    protected void channelRead0(ChannelHandlerContext ctx, FullHttpRequest request) {
        stopTimer();
        answering = true;
        ctx.channel().config().setAutoRead(false);
        if (request.decoderResult().isFailure()) {
            refuse(ctx, malformed(request.decoderResult().cause()));
            return;
        }
        if (!namesOneHost(request)) {
            refuse(ctx, HttpResponseStatus.BAD_REQUEST);
            return;
        }
        HttpTarget target;
        try {
            target = HttpTarget.parse(request.uri());
        } catch (IllegalArgumentException e) {
            refuse(ctx, HttpResponseStatus.BAD_REQUEST);
            return;
        }
        byte[] body = ByteBufUtil.getBytes(request.content());
        var exchange = new Http1Exchange(this, ctx, request, target, body);
        try {
            config.http().handle(exchange);
        } catch (RuntimeException e) {
            LOG.error("{} {} failed", request.method(), request.uri(), e);
            exchange.fail(HttpResponseStatus.INTERNAL_SERVER_ERROR);
        }
    }

    /** A request with two hosts may mean another to whoever passed it on; HTTP/1.0 knows none. */
    private static boolean namesOneHost(FullHttpRequest request) {
        int hosts = request.headers().getAll(HttpHeaderNames.HOST).size();
        return hosts == 1 || (hosts == 0 && request.protocolVersion().compareTo(HttpVersion.HTTP_1_1) < 0);
    }

    private static HttpResponseStatus malformed(Throwable cause) {
        return switch (cause) {
            case TooLongHttpHeaderException _ -> HttpResponseStatus.REQUEST_HEADER_FIELDS_TOO_LARGE;
            case TooLongHttpLineException _ -> HttpResponseStatus.REQUEST_URI_TOO_LONG;
            default -> HttpResponseStatus.BAD_REQUEST;
        };
    }

    private void refuse(ChannelHandlerContext ctx, HttpResponseStatus status) {
        write(ctx, new Answer(status.code(), "text/plain; charset=utf-8", text(status), Map.of()), false);
    }

    static byte[] text(HttpResponseStatus status) {
        return (status.code() + " " + status.reasonPhrase() + "\n").getBytes(StandardCharsets.US_ASCII);
    }

    /** What a handler answers. */
    record Answer(int status, String contentType, byte[] body, Map<String, String> headers) {}

    /** Writes an answer and goes on to the next request, or closes; on the loop. */
    void write(ChannelHandlerContext ctx, Answer answer, boolean keepAlive) {
        var response = new DefaultFullHttpResponse(
                HttpVersion.HTTP_1_1,
                HttpResponseStatus.valueOf(answer.status()),
                Unpooled.wrappedBuffer(answer.body()));
        response.headers().set(HttpHeaderNames.CONTENT_TYPE, answer.contentType());
        response.headers().setInt(HttpHeaderNames.CONTENT_LENGTH, answer.body().length);
        answer.headers().forEach((name, value) -> response.headers().set(name, value));
        boolean stays = keepAlive && !draining;
        HttpUtil.setKeepAlive(response, stays);
        answering = false;
        var written = ctx.writeAndFlush(response);
        if (stays) {
            awaitRequest(ctx);
            ctx.channel().config().setAutoRead(true);
        } else {
            written.addListener(ChannelFutureListener.CLOSE);
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) throws Exception {
        if (event != Drain.INSTANCE) {
            super.userEventTriggered(ctx, event);
        } else if (answering) {
            draining = true;
        } else {
            ctx.close();
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        LOG.debug("connection {} broke", ctx.channel(), cause);
        ctx.close();
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.wire;

import dev.nightjar.wire.RawCall;
import dev.nightjar.wire.WireServer;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.handler.codec.http2.Http2Headers;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** The service that the foreign clients call; {@code verify/clients/README.md} says what its methods do. */
final class EchoService {

    private static final String NAME = "nightjar.test.Echo";

    /** Most bytes that waited for a reader of Repeat, at any time. */
    final AtomicLong mostQueuedBytes = new AtomicLong();

    private final AtomicInteger cancels = new AtomicInteger();

    WireServer.Builder addTo(WireServer.Builder builder) {
        return builder.raw(NAME + "/Unary", this::unary)
                .raw(NAME + "/Collect", this::collect)
                .raw(NAME + "/Repeat", this::repeat)
                .raw(NAME + "/Bidi", this::bidi)
                .raw(NAME + "/Linger", this::linger)
                .raw(NAME + "/Fail", this::fail)
                .raw(NAME + "/Hang", this::hang)
                .raw(NAME + "/Cancels", this::cancels)
                .service(metadata());
    }

    private static void send(RawCall call, byte[] message) {
        ByteBuf framed = call.buffer(5 + message.length);
        call.send(framed.writeByte(0).writeInt(message.length).writeBytes(message));
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static void end(RawCall call, Status status) {
        call.finish(status, new Metadata());
    }

    private abstract static class Quiet implements RawCall.Listener {
        @Override
        public void onMessage(ByteBuf message) {}

        @Override
        public void onHalfClose() {}

        @Override
        public void onCancel(Status status) {}
    }

    private RawCall.Listener unary(RawCall call, Http2Headers headers) {
        return new Quiet() {
            @Override
            public void onMessage(ByteBuf message) {
                send(call, ByteBufUtil.getBytes(message));
                end(call, Status.OK);
            }
        };
    }

    private RawCall.Listener collect(RawCall call, Http2Headers headers) {
        return new Quiet() {
            private int count;
            private long bytes;

            @Override
            public void onMessage(ByteBuf message) {
                count++;
                bytes += message.readableBytes();
            }

            @Override
            public void onHalfClose() {
                send(call, utf8(count + " " + bytes));
                end(call, Status.OK);
            }
        };
    }

    private RawCall.Listener repeat(RawCall call, Http2Headers headers) {
        return new Quiet() {
            private int next;
            private int count;
            private int size;

            @Override
            public void onMessage(ByteBuf message) {
                String[] words = message.toString(StandardCharsets.UTF_8).split(" ", 2);
                count = Integer.parseInt(words[0]);
                size = Integer.parseInt(words[1]);
                onWritable();
            }

            @Override
            public void onWritable() {
                while (next < count && call.isWritable()) {
                    send(call, Arrays.copyOf(utf8(next + " "), size));
                    next++;
                    mostQueuedBytes.accumulateAndGet(call.queuedBytes(), Math::max);
                }
                if (next == count) {
                    end(call, Status.OK);
                }
            }
        };
    }

    private RawCall.Listener bidi(RawCall call, Http2Headers headers) {
        return new Quiet() {
            @Override
            public void onMessage(ByteBuf message) {
                send(call, ByteBufUtil.getBytes(message));
            }

            @Override
            public void onHalfClose() {
                end(call, Status.OK);
            }
        };
    }

    private RawCall.Listener linger(RawCall call, Http2Headers headers) {
        return new Quiet() {
            private int after;

            @Override
            public void onMessage(ByteBuf message) {
                send(call, ByteBufUtil.getBytes(message));
            }

            @Override
            public void onHalfClose() {
                call.loop().execute(this::more);
            }

            private void more() {
                after++;
                if (after > 3) {
                    end(call, Status.OK);
                } else {
                    send(call, utf8("after " + after));
                    call.loop().execute(this::more);
                }
            }
        };
    }

    private RawCall.Listener fail(RawCall call, Http2Headers headers) {
        return new Quiet() {
            @Override
            public void onMessage(ByteBuf message) {
                String[] words = message.toString(StandardCharsets.UTF_8).split(" ", 2);
                end(call, Status.fromCodeValue(Integer.parseInt(words[0])).withDescription(words[1]));
            }
        };
    }

    private RawCall.Listener hang(RawCall call, Http2Headers headers) {
        send(call, utf8("begun"));
        return new Quiet() {
            @Override
            public void onCancel(Status status) {
                cancels.incrementAndGet();
            }
        };
    }

    private RawCall.Listener cancels(RawCall call, Http2Headers headers) {
        return new Quiet() {
            @Override
            public void onMessage(ByteBuf message) {
                send(call, utf8(Integer.toString(cancels.get())));
                end(call, Status.OK);
            }
        };
    }

    /** Metadata is the adaptor's part, so this method is served the generated way. */
    private static ServerServiceDefinition metadata() {
        MethodDescriptor<byte[], byte[]> method = MethodDescriptor.<byte[], byte[]>newBuilder()
                .setType(MethodDescriptor.MethodType.UNARY)
                .setFullMethodName(NAME + "/Metadata")
                .setRequestMarshaller(new Plain())
                .setResponseMarshaller(new Plain())
                .build();
        return ServerServiceDefinition.builder(NAME)
                .addMethod(method, (call, headers) -> {
                    call.sendHeaders(echoed(headers));
                    call.request(1);
                    return new ServerCall.Listener<>() {
                        @Override
                        public void onMessage(byte[] message) {
                            call.sendMessage(message);
                            call.close(Status.OK, echoed(headers));
                        }
                    };
                })
                .build();
    }

    private static Metadata echoed(Metadata headers) {
        var echo = new Metadata();
        copy(headers, echo, Metadata.Key.of("x-echo", Metadata.ASCII_STRING_MARSHALLER));
        copy(headers, echo, Metadata.Key.of("x-echo-bin", Metadata.BINARY_BYTE_MARSHALLER));
        return echo;
    }

    private static <T> void copy(Metadata from, Metadata to, Metadata.Key<T> key) {
        Iterable<T> values = from.getAll(key);
        if (values != null) {
            values.forEach(value -> to.put(key, value));
        }
    }

    /** Bytes as they are. */
    private static final class Plain implements MethodDescriptor.Marshaller<byte[]> {
        @Override
        public InputStream stream(byte[] value) {
            return new ByteArrayInputStream(value);
        }

        @Override
        public byte[] parse(InputStream stream) {
            try {
                return stream.readAllBytes();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}

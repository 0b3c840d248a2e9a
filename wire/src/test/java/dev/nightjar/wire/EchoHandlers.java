/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.wire;

import io.grpc.Metadata;
import io.grpc.Status;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http2.Http2Headers;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;

/** The echo service at the level of bytes; each method says what it does with the client's messages. */
final class EchoHandlers {

    /** What {@link #hang} saw at the ends of its calls. */
    final LinkedBlockingQueue<Status> cancels = new LinkedBlockingQueue<>();

    /** The calls of {@link #hang} that began. */
    final LinkedBlockingQueue<RawCall> hanging = new LinkedBlockingQueue<>();

    final List<String> events = new CopyOnWriteArrayList<>();

    /** Adds all methods to a server. */
    WireServer.Builder addTo(WireServer.Builder builder) {
        return builder.raw("test.Echo/Unary", this::unary)
                .raw("test.Echo/Collect", this::collect)
                .raw("test.Echo/Repeat", this::repeat)
                .raw("test.Echo/Bidi", this::bidi)
                .raw("test.Echo/Linger", this::linger)
                .raw("test.Echo/Fail", this::fail)
                .raw("test.Echo/Throw", this::throwing)
                .raw("test.Echo/Hang", this::hang)
                .raw("test.Echo/Paused", this::paused)
                .raw("test.Echo/Flood", this::flood);
    }

    static void send(RawCall call, byte[] message) {
        call.send(call.buffer(5 + message.length)
                .writeByte(0)
                .writeInt(message.length)
                .writeBytes(message));
    }

    /** A listener that does nothing. */
    abstract static class Quiet implements RawCall.Listener {
        @Override
        public void onMessage(ByteBuf message) {}

        @Override
        public void onHalfClose() {}

        @Override
        public void onCancel(Status status) {}
    }

    /** Answers the message with itself. */
    RawCall.Listener unary(RawCall call, Http2Headers headers) {
        return new Quiet() {
            @Override
            public void onMessage(ByteBuf message) {
                send(call, Bytes.of(message));
                call.finish(Status.OK, new Metadata());
            }
        };
    }

    /** Answers many messages with their number and total size. */
    RawCall.Listener collect(RawCall call, Http2Headers headers) {
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
                send(call, Bytes.of(count + " " + bytes));
                call.finish(Status.OK, new Metadata());
            }
        };
    }

    /** Collects, but takes nothing until its call, found in {@link #hanging}, is told to read. */
    RawCall.Listener paused(RawCall call, Http2Headers headers) {
        call.read(false);
        hanging.add(call);
        return collect(call, headers);
    }

    /** Answers "size" with one message of that size, whether the client takes it or not, and stays open. */
    RawCall.Listener flood(RawCall call, Http2Headers headers) {
        hanging.add(call);
        return new Quiet() {
            @Override
            public void onMessage(ByteBuf message) {
                send(call, new byte[Integer.parseInt(Bytes.text(Bytes.of(message)))]);
            }

            @Override
            public void onCancel(Status status) {
                cancels.add(status);
            }
        };
    }

    /** Answers "count size" with so many messages, as fast as the client takes them. */
    RawCall.Listener repeat(RawCall call, Http2Headers headers) {
        hanging.add(call);
        return new Quiet() {
            private int left;
            private int size;

            @Override
            public void onMessage(ByteBuf message) {
                String[] words = Bytes.text(Bytes.of(message)).split(" ", 2);
                left = Integer.parseInt(words[0]);
                size = Integer.parseInt(words[1]);
                onWritable();
            }

            @Override
            public void onWritable() {
                while (left > 0 && call.isWritable()) {
                    left--;
                    byte[] message = new byte[size];
                    byte[] label = Bytes.of(Integer.toString(left));
                    System.arraycopy(label, 0, message, 0, Math.min(size, label.length));
                    send(call, message);
                }
                if (left == 0) {
                    call.finish(Status.OK, new Metadata());
                }
            }
        };
    }

    /** Answers each message with itself, and ends with the client. */
    RawCall.Listener bidi(RawCall call, Http2Headers headers) {
        return new Quiet() {
            @Override
            public void onMessage(ByteBuf message) {
                send(call, Bytes.of(message));
            }

            @Override
            public void onHalfClose() {
                call.finish(Status.OK, new Metadata());
            }
        };
    }

    /** Like bidi, but goes on for three more messages after the client's end, each in a turn of its own. */
    RawCall.Listener linger(RawCall call, Http2Headers headers) {
        return new Quiet() {
            private int after;

            @Override
            public void onMessage(ByteBuf message) {
                send(call, Bytes.of(message));
            }

            @Override
            public void onHalfClose() {
                call.loop().execute(this::more);
            }

            private void more() {
                if (after == 3) {
                    call.finish(Status.OK, new Metadata());
                    return;
                }
                after++;
                send(call, Bytes.of("after " + after));
                call.loop().execute(this::more);
            }
        };
    }

    /** Answers "code text" with that status. */
    RawCall.Listener fail(RawCall call, Http2Headers headers) {
        return new Quiet() {
            @Override
            public void onMessage(ByteBuf message) {
                String[] words = Bytes.text(Bytes.of(message)).split(" ", 2);
                Status status = Status.fromCodeValue(Integer.parseInt(words[0]));
                call.finish(status.withDescription(words[1]), new Metadata());
            }
        };
    }

    /** Has a defect. */
    RawCall.Listener throwing(RawCall call, Http2Headers headers) {
        return new Quiet() {
            @Override
            public void onMessage(ByteBuf message) {
                throw new IllegalArgumentException("a defect, on purpose");
            }

            @Override
            public void onCancel(Status status) {
                cancels.add(status);
            }
        };
    }

    /** Never answers. */
    RawCall.Listener hang(RawCall call, Http2Headers headers) {
        hanging.add(call);
        return new Quiet() {
            @Override
            public void onMessage(ByteBuf message) {
                events.add("message");
            }

            @Override
            public void onHalfClose() {
                events.add("half-close");
            }

            @Override
            public void onCancel(Status status) {
                cancels.add(status);
            }
        };
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Parser;
import dev.nightjar.wire.RawCall;
import io.grpc.Metadata;
import io.grpc.Status;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import io.netty.util.AttributeKey;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A call that keeps what it is given, and like a real one takes nothing after its end. */
final class FakeCall implements RawCall {
    final List<byte[]> messages = new ArrayList<>();
    final List<ByteBuf> buffers = new ArrayList<>();

    @Nullable
    Status ended;

    final List<byte[]> parts = new ArrayList<>();

    boolean failsToSend;
    boolean writable = true;
    volatile boolean hasMemory = true;
    private final @Nullable EventLoop loop;

    FakeCall() {
        this(null);
    }

    FakeCall(@Nullable EventLoop loop) {
        this.loop = loop;
    }

    /** The message that came in parts; fails if its prefix is not right. */
    byte[] joinedParts() {
        ByteBuf all = Unpooled.wrappedBuffer(parts.toArray(byte[][]::new));
        List<byte[]> bodies = unframe(all);
        assertThat(bodies).hasSize(1);
        return bodies.getFirst();
    }

    /** Splits framed messages; fails if a prefix is not right. */
    static List<byte[]> unframe(ByteBuf framed) {
        List<byte[]> bodies = new ArrayList<>();
        while (framed.isReadable()) {
            assertThat(framed.readByte()).isZero();
            byte[] body = new byte[framed.readInt()];
            framed.readBytes(body);
            bodies.add(body);
        }
        return bodies;
    }

    /** The one message of a buffer, which is released. */
    static <M> M only(ByteBuf framed, Parser<M> parser) throws InvalidProtocolBufferException {
        List<byte[]> bodies = unframe(framed);
        framed.release();
        assertThat(bodies).hasSize(1);
        return parser.parseFrom(bodies.getFirst());
    }

    /** What the call ended with; fails if it has not. */
    Status status() {
        return Objects.requireNonNull(ended, "the call has not ended");
    }

    @Override
    public EventLoop loop() {
        return Objects.requireNonNull(loop, "nothing in this test changes threads");
    }

    @Override
    public SocketAddress remoteAddress() {
        return InetSocketAddress.createUnresolved("client", 1);
    }

    @Override
    public <T> T ofConnection(AttributeKey<T> key, Supplier<T> first) {
        return first.get();
    }

    @Override
    public ByteBuf buffer(int initialCapacity) {
        ByteBuf buffer = Unpooled.buffer(initialCapacity);
        buffers.add(buffer);
        return buffer;
    }

    @Override
    public boolean isWritable() {
        return writable;
    }

    @Override
    public void whenRoom(long expectedBytes, Runnable make) {
        make.run();
    }

    @Override
    public boolean hasMemoryFor(long bytes) {
        return hasMemory;
    }

    @Override
    public long queuedBytes() {
        return 0;
    }

    @Override
    public void send(ByteBuf framedMessages) {
        if (failsToSend) {
            framedMessages.release();
            throw new IllegalStateException("cannot send");
        }
        if (ended == null) {
            messages.addAll(unframe(framedMessages));
        }
        framedMessages.release();
    }

    @Override
    public void sendPart(ByteBuf part, boolean first) {
        assertThat(first).isEqualTo(parts.isEmpty());
        if (ended == null) {
            byte[] bytes = new byte[part.readableBytes()];
            part.readBytes(bytes);
            parts.add(bytes);
        }
        part.release();
    }

    @Override
    public boolean compresses() {
        return false;
    }

    @Override
    public ByteBuf compress(ByteBuf framedMessages) {
        return framedMessages;
    }

    @Override
    public void finish(Status status, Metadata trailers) {
        if (ended == null) {
            ended = status;
        }
    }

    @Override
    public void read(boolean enabled) {}
}

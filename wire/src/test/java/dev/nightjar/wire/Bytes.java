/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.wire;

import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Random;

/** Messages as plain bytes, and the methods of the echo service that carry them. */
final class Bytes {

    static final String SERVICE = "test.Echo";

    /** Marshals bytes as themselves. */
    static final MethodDescriptor.Marshaller<byte[]> MARSHALLER = new MethodDescriptor.Marshaller<>() {
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
    };

    static final MethodDescriptor<byte[], byte[]> UNARY = method("Unary", MethodType.UNARY);
    static final MethodDescriptor<byte[], byte[]> COLLECT = method("Collect", MethodType.CLIENT_STREAMING);
    static final MethodDescriptor<byte[], byte[]> REPEAT = method("Repeat", MethodType.SERVER_STREAMING);
    static final MethodDescriptor<byte[], byte[]> BIDI = method("Bidi", MethodType.BIDI_STREAMING);
    static final MethodDescriptor<byte[], byte[]> LINGER = method("Linger", MethodType.BIDI_STREAMING);
    static final MethodDescriptor<byte[], byte[]> FAIL = method("Fail", MethodType.UNARY);
    static final MethodDescriptor<byte[], byte[]> HANG = method("Hang", MethodType.BIDI_STREAMING);
    static final MethodDescriptor<byte[], byte[]> THROW = method("Throw", MethodType.UNARY);
    static final MethodDescriptor<byte[], byte[]> METADATA = method("Metadata", MethodType.UNARY);

    private Bytes() {}

    static MethodDescriptor<byte[], byte[]> method(String name, MethodType type) {
        return method(SERVICE, name, type);
    }

    static MethodDescriptor<byte[], byte[]> method(String service, String name, MethodType type) {
        return MethodDescriptor.<byte[], byte[]>newBuilder()
                .setType(type)
                .setFullMethodName(MethodDescriptor.generateFullMethodName(service, name))
                .setRequestMarshaller(MARSHALLER)
                .setResponseMarshaller(MARSHALLER)
                .build();
    }

    static byte[] of(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    static byte[] of(ByteBuf buffer) {
        return ByteBufUtil.getBytes(buffer);
    }

    static byte[] random(Random random, int size) {
        byte[] bytes = new byte[size];
        random.nextBytes(bytes);
        return bytes;
    }

    /** A message with its prefix. */
    static byte[] framed(byte[] message) {
        return framed(0, message);
    }

    static byte[] framed(int flag, byte[] message) {
        return java.nio.ByteBuffer.allocate(5 + message.length)
                .put((byte) flag)
                .putInt(message.length)
                .put(message)
                .array();
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.apply;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A PutRequest, decoded by hand: the hottest write should not build protobuf objects.
 *
 * @param key may be empty only before {@link #check}
 * @param value view of the request's bytes
 */
public record PutCommand(
        byte[] key, ByteBuffer value, long lease, boolean previous, boolean ignoreValue, boolean ignoreLease) {
    private static final byte[] NO_BYTES = {};

    /** Decodes the bytes of a PutRequest; {@code value} goes on referring to them. */
    public static PutCommand parse(byte[] request) throws IOException {
        CodedInputStream in = CodedInputStream.newInstance(request);
        byte[] key = NO_BYTES;
        ByteBuffer value = ByteBuffer.wrap(NO_BYTES);
        long lease = 0;
        boolean previous = false;
        boolean ignoreValue = false;
        boolean ignoreLease = false;
        for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
            switch (tag) {
                case 0x0a -> key = in.readByteArray();
                case 0x12 -> value = slice(request, in);
                case 0x18 -> lease = in.readInt64();
                case 0x20 -> previous = in.readBool();
                case 0x28 -> ignoreValue = in.readBool();
                case 0x30 -> ignoreLease = in.readBool();
                default -> skip(in, tag);
            }
        }
        return new PutCommand(key, value, lease, previous, ignoreValue, ignoreLease);
    }

    private static void skip(CodedInputStream in, int tag) throws IOException {
        if (!in.skipField(tag)) {
            throw new InvalidProtocolBufferException("Protocol message end-group tag did not match expected tag.");
        }
    }

    private static ByteBuffer slice(byte[] request, CodedInputStream in) throws IOException {
        int length = in.readRawVarint32();
        int start = in.getTotalBytesRead();
        in.skipRawBytes(length);
        return ByteBuffer.wrap(request, start, length).slice();
    }

    /** What can be said of the request without looking at the state; null if it is well formed. */
    public @Nullable ApiError check() {
        if (key.length == 0) {
            return ApiError.EMPTY_KEY;
        }
        if (ignoreValue && value.hasRemaining()) {
            return ApiError.VALUE_PROVIDED;
        }
        if (ignoreLease && lease != 0) {
            return ApiError.LEASE_PROVIDED;
        }
        return null;
    }
}

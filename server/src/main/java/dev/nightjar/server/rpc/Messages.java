/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.rpc;

import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import dev.nightjar.wire.RawCall;
import io.grpc.Status;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Frames for answers that are built as messages. Stateless. */
final class Messages {
    private Messages() {}

    static ByteBuf frame(RawCall call, MessageLite message) {
        int size = message.getSerializedSize();
        ByteBuf out = call.buffer(Proto.PREFIX_BYTES + size);
        int start = Proto.begin(out);
        int from = out.writerIndex();
        out.ensureWritable(size);
        try {
            CodedOutputStream coded = CodedOutputStream.newInstance(out.nioBuffer(from, size));
            message.writeTo(coded);
            coded.flush();
        } catch (IOException e) {
            out.release();
            throw new UncheckedIOException(e);
        }
        out.writerIndex(from + size);
        Proto.end(out, start);
        return out;
    }

    /** Null if the bytes are a message of this kind. */
    static <M> @Nullable Status check(Parser<M> parser, byte[] body) {
        try {
            Objects.requireNonNull(parser.parseFrom(body));
            return null;
        } catch (InvalidProtocolBufferException e) {
            return malformed(e);
        }
    }

    /** The status for a request that is not what it should be. */
    static Status malformed(IOException e) {
        return Status.INTERNAL.withDescription("grpc: error unmarshalling request: " + e.getMessage());
    }
}

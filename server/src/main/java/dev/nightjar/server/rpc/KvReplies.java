/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.rpc;

import dev.nightjar.api.etcdserverpb.TxnResponse;
import dev.nightjar.core.apply.Result;
import dev.nightjar.core.mvcc.KvView;
import dev.nightjar.core.mvcc.LongRead;
import dev.nightjar.core.mvcc.RangeCursor;
import dev.nightjar.core.mvcc.RangeResult;
import dev.nightjar.wire.RawCall;
import io.grpc.Status;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufOutputStream;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.function.Consumer;

/** Encodes the answers of the KV service, each as one framed message. Stateless; any thread. */
final class KvReplies {
    /** The largest message that gRPC carries. */
    static final long MAX_MESSAGE_BYTES = Integer.MAX_VALUE;

    /** The status instead of an answer that the process has no memory for. */
    static final Status NO_MEMORY = Status.RESOURCE_EXHAUSTED.withDescription(
            "etcdserver: no memory for the answer, other answers wait for their clients");

    /** Room for prefix, header and the scalar fields of any answer. */
    private static final int FIXED_BYTES = 96;

    private static final int TAG_PUT_PREVIOUS = 0x12;
    private static final int TAG_DELETED = 0x10;
    private static final int TAG_DELETED_PREVIOUS = 0x1a;
    private static final int TAG_RANGE_KV = 0x12;
    private static final int TAG_RANGE_MORE = 0x18;
    private static final int TAG_RANGE_COUNT = 0x20;
    private static final int TAG_STREAMED_RANGE = 0x0a;

    private static final byte[] NOTHING = {};

    private final HeaderWriter headers;

    KvReplies(HeaderWriter headers) {
        this.headers = headers;
    }

    ByteBuf put(RawCall call, Result.Put put) {
        byte[] previous = put.previous();
        ByteBuf out = call.buffer(FIXED_BYTES + (previous == null ? 0 : previous.length));
        int start = Proto.begin(out);
        headers.write(out, put.revision());
        if (previous != null) {
            Proto.writeBytesField(out, TAG_PUT_PREVIOUS, previous);
        }
        Proto.end(out, start);
        return out;
    }

    ByteBuf deleted(RawCall call, Result.Deleted deleted) {
        ByteBuf out = call.buffer(FIXED_BYTES);
        int start = Proto.begin(out);
        headers.write(out, deleted.revision());
        Proto.writeVarintField(out, TAG_DELETED, deleted.deleted());
        for (byte[] previous : deleted.previous()) {
            Proto.writeBytesField(out, TAG_DELETED_PREVIOUS, previous);
        }
        Proto.end(out, start);
        return out;
    }

    /** A transaction's answer: its outer header, then the fields that the state machine filled in. */
    ByteBuf txn(RawCall call, Result.Txn txn) {
        TxnResponse response = txn.response();
        ByteBuf out = call.buffer(Math.addExact(FIXED_BYTES, response.getSerializedSize()));
        int start = Proto.begin(out);
        headers.write(out, txn.revision());
        write(response, out);
        Proto.end(out, start);
        return out;
    }

    private static void write(TxnResponse response, ByteBuf out) {
        try (var stream = new ByteBufOutputStream(out)) {
            response.writeTo(stream);
        } catch (IOException e) {
            throw new UncheckedIOException("a buffer took no bytes", e);
        }
    }

    /** An answer that is only a header. */
    ByteBuf header(RawCall call, long revision) {
        ByteBuf out = call.buffer(FIXED_BYTES);
        int start = Proto.begin(out);
        headers.write(out, revision);
        Proto.end(out, start);
        return out;
    }

    /** Bytes that the answer to a range takes at most. */
    static long maxRangeBytes(RangeResult result, boolean keysOnly) {
        long bytes = FIXED_BYTES;
        for (KvView kv : result.kvs()) {
            bytes += Proto.bytesFieldSize(length(kv, keysOnly));
        }
        return bytes;
    }

    /** The status instead of an answer beyond {@link #MAX_MESSAGE_BYTES}. */
    static Status tooLarge(long bytes) {
        return Status.RESOURCE_EXHAUSTED.withDescription(
                "grpc: trying to send message larger than max (" + bytes + " vs. " + MAX_MESSAGE_BYTES + ")");
    }

    /** The answer to a range, which must not be too large. */
    ByteBuf range(RawCall call, long revision, RangeResult result, boolean keysOnly) {
        ByteBuf out = call.buffer(Math.toIntExact(maxRangeBytes(result, keysOnly)));
        int start = Proto.begin(out);
        headers.write(out, revision);
        writeKvs(out, result, keysOnly);
        writeTotals(out, result.more(), result.count());
        Proto.end(out, start);
        return out;
    }

    /** The answer to a range, which must not be too large. */
    ByteBuf range(RawCall call, long revision, RangeCursor range) {
        ByteBuf out = call.buffer(Math.toIntExact(FIXED_BYTES + range.bytes()));
        int start = Proto.begin(out);
        headers.write(out, revision);
        copy(range, out);
        writeTotals(out, range.more(), range.count());
        Proto.end(out, start);
        return out;
    }

    private static void writeTotals(ByteBuf out, boolean more, long count) {
        Proto.writeVarintField(out, TAG_RANGE_MORE, more ? 1 : 0);
        Proto.writeVarintField(out, TAG_RANGE_COUNT, count);
    }

    private static void writeKvs(ByteBuf out, RangeResult result, boolean keysOnly) {
        for (KvView kv : result.kvs()) {
            ByteBuffer encoded = kv.encoded();
            int length = length(kv, keysOnly);
            out.writeByte(TAG_RANGE_KV);
            Proto.writeVarint(out, length);
            out.writeBytes(encoded.limit(encoded.position() + length));
        }
    }

    /** The shape of the answer to a long range; what does not depend on the key-values. */
    Outline rangeOutline(long revision, RangeCursor range) {
        return new Outline(
                field(out -> headers.write(out, revision)), totals(range.more(), range.count()), range.bytes());
    }

    /** The shape of an answer of which all but the header is read. */
    Outline outline(long revision, LongRead read) {
        return new Outline(field(out -> headers.write(out, revision)), NOTHING, read.bytes());
    }

    private static byte[] totals(boolean more, long count) {
        return field(out -> writeTotals(out, more, count));
    }

    private static byte[] field(Consumer<ByteBuf> write) {
        ByteBuf out = Unpooled.buffer(FIXED_BYTES);
        write.accept(out);
        return ByteBufUtil.getBytes(out);
    }

    /**
     * What surrounds the part of an answer that is read.
     *
     * @param head the field before it
     * @param tail the fields behind it
     * @param readBytes bytes of that part
     */
    record Outline(byte[] head, byte[] tail, long readBytes) {
        long messageBytes() {
            return head.length + readBytes + tail.length;
        }

        /** The whole answer, framed. */
        ByteBuf write(RawCall call, LongRead read) {
            ByteBuf out = call.buffer(Math.toIntExact(FIXED_BYTES + messageBytes()));
            writePiece(out, read, true);
            return out;
        }

        /** Writes as much as the buffer has room for; the first piece begins with the prefix. True if it is the last. */
        boolean writePiece(ByteBuf out, LongRead read, boolean first) {
            if (first) {
                out.writeByte(0).writeInt((int) messageBytes()).writeBytes(head);
            }
            copy(read, out);
            if (!read.isDone() || out.writableBytes() < tail.length) {
                return false;
            }
            out.writeBytes(tail);
            return true;
        }
    }

    private static void copy(LongRead read, ByteBuf out) {
        int start = out.writerIndex();
        ByteBuffer target = out.nioBuffer(start, out.writableBytes());
        int before = target.position();
        read.copy(target);
        out.writerIndex(start + target.position() - before);
    }

    /** A piece of a streamed range that is not the last: key-values only. */
    ByteBuf piece(RawCall call, RangeCursor piece) {
        return piece(call, new Outline(NOTHING, NOTHING, piece.bytes()), piece);
    }

    /** The last piece of a streamed range: with everything that is said of the whole. */
    ByteBuf lastPiece(RawCall call, long revision, RangeCursor piece, boolean more, long count) {
        byte[] head = field(out -> headers.write(out, revision));
        return piece(call, new Outline(head, totals(more, count), piece.bytes()), piece);
    }

    private static ByteBuf piece(RawCall call, Outline outline, RangeCursor piece) {
        int length = Math.toIntExact(outline.messageBytes());
        ByteBuf out = call.buffer(FIXED_BYTES + length);
        int start = Proto.begin(out);
        out.writeByte(TAG_STREAMED_RANGE);
        Proto.writeVarint(out, length);
        out.writeBytes(outline.head());
        copy(piece, out);
        out.writeBytes(outline.tail());
        Proto.end(out, start);
        return out;
    }

    /** Bytes of a key-value in the answer: without its value, which comes last, if only keys are wanted. */
    private static int length(KvView kv, boolean keysOnly) {
        return keysOnly ? kv.encodedLengthWithoutValue() : kv.encodedLength();
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.rpc;

import io.netty.buffer.ByteBuf;

/** The few pieces of protobuf's wire form that hand-written answers need. Stateless. */
final class Proto {
    /** Bytes before each gRPC message: one flag and the length. */
    static final int PREFIX_BYTES = 5;

    static final int MAX_VARINT_BYTES = 10;

    private Proto() {}

    static int varintSize(long value) {
        return (Long.SIZE - Long.numberOfLeadingZeros(value | 1) + 6) / 7;
    }

    static void writeVarint(ByteBuf out, long value) {
        long rest = value;
        while ((rest & ~0x7fL) != 0) {
            out.writeByte((int) ((rest & 0x7f) | 0x80));
            rest >>>= 7;
        }
        out.writeByte((int) rest);
    }

    /** Puts a varint into an array and returns the place behind it. */
    static int putVarint(byte[] out, int place, long value) {
        int end = place;
        long rest = value;
        while ((rest & ~0x7fL) != 0) {
            out[end++] = (byte) ((rest & 0x7f) | 0x80);
            rest >>>= 7;
        }
        out[end++] = (byte) rest;
        return end;
    }

    /** Size of a length-delimited field whose tag takes one byte. */
    static int bytesFieldSize(int length) {
        return 1 + varintSize(length) + length;
    }

    /** Writes a length-delimited field. */
    static void writeBytesField(ByteBuf out, int tag, byte[] bytes) {
        out.writeByte(tag);
        writeVarint(out, bytes.length);
        out.writeBytes(bytes);
    }

    /** Writes a varint field, unless it has the default value. */
    static void writeVarintField(ByteBuf out, int tag, long value) {
        if (value != 0) {
            out.writeByte(tag);
            writeVarint(out, value);
        }
    }

    /** Starts a message: leaves room for its prefix and returns the place of it. */
    static int begin(ByteBuf out) {
        int start = out.writerIndex();
        out.writeZero(PREFIX_BYTES);
        return start;
    }

    /** Ends the message begun at {@code start}: fills in its length. */
    static void end(ByteBuf out, int start) {
        out.setInt(start + 1, out.writerIndex() - start - PREFIX_BYTES);
    }
}

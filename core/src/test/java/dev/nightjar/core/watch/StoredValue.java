/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.watch;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedInputStream;
import com.google.protobuf.CodedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;

/** A KeyValue as the store encodes it; all zero and empty but key and modRevision in a delete. */
record StoredValue(ByteString key, long createRevision, long modRevision, long version, ByteString value) {

    byte[] encode() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        CodedOutputStream out = CodedOutputStream.newInstance(bytes);
        try {
            out.writeBytes(1, key);
            number(out, 2, createRevision);
            number(out, 3, modRevision);
            number(out, 4, version);
            if (!value.isEmpty()) {
                out.writeBytes(5, value);
            }
            out.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    static StoredValue decode(byte[] encoded) {
        ByteString key = ByteString.EMPTY;
        ByteString value = ByteString.EMPTY;
        long[] numbers = new long[5];
        try {
            CodedInputStream in = CodedInputStream.newInstance(encoded);
            for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
                int field = tag >>> 3;
                switch (field) {
                    case 1 -> key = in.readBytes();
                    case 5 -> value = in.readBytes();
                    default -> numbers[field] = in.readInt64();
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new StoredValue(key, numbers[2], numbers[3], numbers[4], value);
    }

    private static void number(CodedOutputStream out, int field, long value) throws IOException {
        if (value != 0) {
            out.writeInt64(field, value);
        }
    }

    @Override
    public String toString() {
        if (version == 0) {
            return "%s m%d".formatted(MemoryStore.text(key), modRevision);
        }
        return "%s=%s c%d m%d v%d"
                .formatted(MemoryStore.text(key), MemoryStore.text(value), createRevision, modRevision, version);
    }
}

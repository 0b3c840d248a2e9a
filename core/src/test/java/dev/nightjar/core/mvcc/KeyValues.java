/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.mvcc;

import java.io.ByteArrayOutputStream;

/** The wire form of a KeyValue, written independently of the store: value last. */
final class KeyValues {

    private KeyValues() {}

    static byte[] encode(Model.Entry entry) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        bytes(out, 1, entry.key());
        number(out, 2, entry.create());
        number(out, 3, entry.mod());
        number(out, 4, entry.version());
        number(out, 6, entry.lease());
        bytes(out, 5, entry.value());
        return out.toByteArray();
    }

    static void bytes(ByteArrayOutputStream out, int field, byte[] value) {
        if (value.length > 0) {
            varint(out, field << 3 | 2);
            varint(out, value.length);
            out.writeBytes(value);
        }
    }

    static void number(ByteArrayOutputStream out, int field, long value) {
        if (value != 0) {
            varint(out, field << 3);
            varint(out, value);
        }
    }

    private static void varint(ByteArrayOutputStream out, long value) {
        long rest = value;
        do {
            int low = (int) rest & 0x7f;
            rest >>>= 7;
            out.write(rest == 0 ? low : low | 0x80);
        } while (rest != 0);
    }
}

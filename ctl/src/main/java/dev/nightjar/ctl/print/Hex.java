/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.ctl.print;

import com.google.protobuf.ByteString;

/** Hexadecimal forms; stateless, any thread. */
final class Hex {

    private Hex() {}

    /** Each byte as a backslash, an x and two digits. */
    static ByteString escaped(ByteString bytes) {
        StringBuilder text = new StringBuilder(bytes.size() * 4);
        for (byte b : bytes) {
            text.append("\\x").append(Character.forDigit((b >> 4) & 0xf, 16)).append(Character.forDigit(b & 0xf, 16));
        }
        return ByteString.copyFromUtf8(text.toString());
    }

    /** An id, unsigned and without leading zeros. */
    static String id(long id) {
        return Long.toHexString(id);
    }
}

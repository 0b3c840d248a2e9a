/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.ctl.print;

import com.google.protobuf.ByteString;

/** Characters within bytes that may or may not be UTF-8; stateless, any thread. */
public final class Utf8 {

    private Utf8() {}

    /** How many bytes the character at a place takes; 0 if there is none. */
    public static int characterLength(ByteString bytes, int at) {
        int first = bytes.byteAt(at) & 0xff;
        int length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
        boolean valid =
                at + length <= bytes.size() && bytes.substring(at, at + length).isValidUtf8();
        return valid ? length : 0;
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.ctl;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/** Bytes as text for scripts: UTF-8 stays, control characters and bytes that are no text become {@code \xff}. */
final class Visible {

    private Visible() {}

    static String text(byte[] bytes) {
        StringBuilder text = new StringBuilder();
        String decoded = utf8(bytes);
        if (decoded != null) {
            decoded.codePoints().forEach(c -> append(text, c));
        } else {
            for (byte b : bytes) {
                append(text, b < 0 ? -1 - (b & 0xff) : b);
            }
        }
        return text.toString();
    }

    private static void append(StringBuilder text, int c) {
        if (c < 0) {
            text.append("\\x%02x".formatted(-1 - c));
        } else if (c == '\n' || c >= ' ') {
            text.appendCodePoint(c);
        } else {
            text.append("\\x%02x".formatted(c));
        }
    }

    private static @org.jspecify.annotations.Nullable String utf8(byte[] bytes) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            return null;
        }
    }
}

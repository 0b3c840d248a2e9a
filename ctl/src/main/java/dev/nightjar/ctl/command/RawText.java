/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.ctl.command;

import com.google.protobuf.ByteString;
import dev.nightjar.ctl.print.Utf8;
import java.nio.charset.StandardCharsets;

/**
 * Bytes of any kind as Java text and back. Bytes that are no UTF-8 become lone low surrogates, byte 0xff becomes U+DCFF, so that
 * keys and values that are no text can pass through code made for text. Stateless, any thread.
 */
final class RawText {

    private static final char FIRST = '\udc80';
    private static final char LAST = '\udcff';

    private RawText() {}

    /** The bytes that text stands for. */
    static ByteString bytes(String text) {
        ByteString.Output bytes = ByteString.newOutput(text.length());
        int plainFrom = 0;
        for (int i = 0; i < text.length(); i++) {
            if (isRaw(text, i)) {
                plain(text.substring(plainFrom, i), bytes);
                bytes.write(text.charAt(i) & 0xff);
                plainFrom = i + 1;
            }
        }
        plain(text.substring(plainFrom), bytes);
        return bytes.toByteString();
    }

    /** The text that stands for bytes. */
    static String of(ByteString bytes) {
        if (bytes.isValidUtf8()) {
            return bytes.toStringUtf8();
        }
        StringBuilder text = new StringBuilder(bytes.size());
        for (int at = 0; at < bytes.size(); ) {
            int length = Utf8.characterLength(bytes, at);
            if (length == 0) {
                text.append(raw(bytes.byteAt(at)));
                at++;
            } else {
                text.append(bytes.substring(at, at + length).toStringUtf8());
                at += length;
            }
        }
        return text.toString();
    }

    /** The text that stands for one byte. */
    static char raw(int value) {
        int unsigned = value & 0xff;
        return (char) (unsigned < 0x80 ? unsigned : 0xdc00 + unsigned);
    }

    private static void plain(String text, ByteString.Output bytes) {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        bytes.write(utf8, 0, utf8.length);
    }

    private static boolean isRaw(String text, int at) {
        char c = text.charAt(at);
        return c >= FIRST && c <= LAST && (at == 0 || !Character.isHighSurrogate(text.charAt(at - 1)));
    }
}

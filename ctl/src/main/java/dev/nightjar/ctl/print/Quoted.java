/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.ctl.print;

import com.google.protobuf.ByteString;
import java.nio.charset.StandardCharsets;

/**
 * Bytes as a quoted text of one line, in the notation of Go: printable characters stay, others are escaped, and bytes that are
 * no UTF-8 become {@code \xff}. Stateless, any thread.
 */
public final class Quoted {

    private static final int MAX_ASCII = 0x7f;
    private static final int MAX_BMP = 0xffff;

    private Quoted() {}

    /** Quotes text. */
    public static String of(String text) {
        return of(ByteString.copyFromUtf8(text));
    }

    /** Quotes bytes. */
    public static String of(ByteString bytes) {
        StringBuilder quoted = new StringBuilder(bytes.size() + 2).append('"');
        for (int at = 0; at < bytes.size(); ) {
            int length = Utf8.characterLength(bytes, at);
            if (length == 0) {
                quoted.append("\\x%02x".formatted(bytes.byteAt(at) & 0xff));
                at++;
            } else {
                String character = bytes.substring(at, at + length).toString(StandardCharsets.UTF_8);
                append(quoted, character.codePointAt(0));
                at += length;
            }
        }
        return quoted.append('"').toString();
    }

    private static void append(StringBuilder quoted, int character) {
        switch (character) {
            case '"', '\\' -> quoted.append('\\').append((char) character);
            case 0x07 -> quoted.append("\\a");
            case '\b' -> quoted.append("\\b");
            case '\f' -> quoted.append("\\f");
            case '\n' -> quoted.append("\\n");
            case '\r' -> quoted.append("\\r");
            case '\t' -> quoted.append("\\t");
            case 0x0b -> quoted.append("\\v");
            default -> {
                if (isPrintable(character)) {
                    quoted.appendCodePoint(character);
                } else if (character <= MAX_ASCII) {
                    quoted.append("\\x%02x".formatted(character));
                } else if (character <= MAX_BMP) {
                    quoted.append("\\u%04x".formatted(character));
                } else {
                    quoted.append("\\U%08x".formatted(character));
                }
            }
        }
    }

    /** Letters, marks, numbers, punctuation and symbols of any script, and the plain space. */
    private static boolean isPrintable(int character) {
        return switch (Character.getType(character)) {
            case Character.SPACE_SEPARATOR -> character == ' ';
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.PRIVATE_USE,
                    Character.UNASSIGNED,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR -> false;
            default -> true;
        };
    }
}

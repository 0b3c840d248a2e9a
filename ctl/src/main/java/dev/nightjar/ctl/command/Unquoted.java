/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.ctl.command;

import dev.nightjar.ctl.client.CtlException;
import dev.nightjar.ctl.client.ExitCode;

/**
 * Text in quotes with the escapes of Go: letters such as {@code \n}, characters by number such as {@code \}{@code u00e9} and
 * {@code \}{@code U0001f426}, bytes by number such as {@code \xff} and {@code \377}. Stateless, any thread.
 */
final class Unquoted {

    private static final int MAX_BYTE = 0xff;

    private final String quoted;
    private final StringBuilder text = new StringBuilder();

    private Unquoted(String quoted) {
        this.quoted = quoted;
    }

    /** Where the quote that opens at a place is closed; below 0 if it is not. */
    static int closingQuote(String text, int open) {
        char quote = text.charAt(open);
        for (int at = open + 1; at < text.length(); at++) {
            char c = text.charAt(at);
            if (c == quote) {
                return at;
            }
            if (c == '\\' && quote == '"') {
                at++;
            }
        }
        return -1;
    }

    /**
     * The text between double quotes, in the form of {@link RawText}.
     *
     * @throws CtlException if it has an escape that is none
     */
    static String of(String quoted) {
        Unquoted reader = new Unquoted(quoted);
        for (int at = 1; at < quoted.length() - 1; ) {
            at = reader.take(at);
        }
        return reader.text.toString();
    }

    /** Takes one character or escape and returns where the next one begins. */
    private int take(int at) {
        char c = quoted.charAt(at);
        if (c != '\\') {
            text.append(c);
            return at + 1;
        }
        char kind = quoted.charAt(at + 1);
        return switch (kind) {
            case 'x' -> takeByte(at + 2, 2, 16);
            case '0', '1', '2', '3', '4', '5', '6', '7' -> takeByte(at + 1, 3, 8);
            case 'u' -> takeCharacter(at + 2, 4);
            case 'U' -> takeCharacter(at + 2, 8);
            default -> {
                text.append(letter(kind));
                yield at + 2;
            }
        };
    }

    private int takeByte(int start, int digits, int radix) {
        int value = number(start, digits, radix);
        if (value > MAX_BYTE) {
            throw bad();
        }
        text.append(RawText.raw(value));
        return start + digits;
    }

    private int takeCharacter(int start, int digits) {
        int value = number(start, digits, 16);
        boolean surrogate = value >= Character.MIN_SURROGATE && value <= Character.MAX_SURROGATE;
        if (surrogate || !Character.isValidCodePoint(value)) {
            throw bad();
        }
        text.appendCodePoint(value);
        return start + digits;
    }

    private char letter(char kind) {
        return switch (kind) {
            case 'a' -> 0x07;
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case 'v' -> 0x0b;
            case '\\', '"' -> kind;
            default -> throw bad();
        };
    }

    private int number(int start, int digits, int radix) {
        if (start + digits > quoted.length() - 1) {
            throw bad();
        }
        try {
            return Integer.parseUnsignedInt(quoted.substring(start, start + digits), radix);
        } catch (NumberFormatException e) {
            throw new CtlException(ExitCode.INVALID_INPUT, "bad escape in " + quoted, e);
        }
    }

    private CtlException bad() {
        return new CtlException(ExitCode.INVALID_INPUT, "bad escape in " + quoted);
    }
}

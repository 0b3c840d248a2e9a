/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.ctl.command;

import dev.nightjar.ctl.client.CtlException;
import dev.nightjar.ctl.client.ExitCode;
import java.util.ArrayList;
import java.util.List;

/**
 * A line as words. Words are parted by blanks; one in double quotes may hold blanks and escapes, one in single quotes blanks. Quotes
 * inside a word are part of it. Stateless, any thread.
 */
final class Words {

    private Words() {}

    /**
     * Splits a line.
     *
     * @throws CtlException if a quote is not closed or an escape is none
     */
    static List<String> split(String line) {
        List<String> words = new ArrayList<>();
        int at = 0;
        while (true) {
            while (at < line.length() && Character.isWhitespace(line.charAt(at))) {
                at++;
            }
            if (at == line.length()) {
                return words;
            }
            int end = wordEnd(line, at);
            words.add(word(line.substring(at, end)));
            at = end;
        }
    }

    private static int wordEnd(String line, int start) {
        char quote = line.charAt(start);
        if (quote == '"' || quote == '\'') {
            int close = Unquoted.closingQuote(line, start);
            if (close < 0) {
                throw new CtlException(ExitCode.INVALID_INPUT, "a quote is not closed: " + line);
            }
            return close + 1;
        }
        int end = start;
        while (end < line.length() && !Character.isWhitespace(line.charAt(end))) {
            end++;
        }
        return end;
    }

    private static String word(String text) {
        return switch (text.charAt(0)) {
            case '"' -> Unquoted.of(text);
            case '\'' -> text.substring(1, text.length() - 1);
            default -> text;
        };
    }
}

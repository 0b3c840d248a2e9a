/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.observe;

import dev.nightjar.server.config.GoDuration;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writes values as JSON. Stateless. */
public final class JsonText {
    private static final String HEX = "0123456789abcdef";

    private JsonText() {}

    /** A value of any kind; what JSON has no form for becomes a string, a duration Go's text. */
    static void appendValue(StringBuilder out, @Nullable Object value) {
        switch (value) {
            case null -> out.append("null");
            case Boolean truth -> out.append(truth.booleanValue());
            case Double number -> appendDouble(out, number);
            case Float number -> appendDouble(out, number.doubleValue());
            case Number number -> out.append(number);
            case Duration duration -> appendString(out, GoDuration.format(duration));
            case Throwable failure -> appendString(out, describe(failure));
            case Map<?, ?> map -> appendMap(out, map);
            case Collection<?> items -> appendItems(out, items);
            default -> appendString(out, value.toString());
        }
    }

    /** What a field called error shows of an exception. */
    static String describe(Throwable failure) {
        String message = failure.getMessage();
        return message == null || message.isEmpty() ? failure.getClass().getName() : message;
    }

    /** The text in quotes. */
    public static void appendString(StringBuilder out, String text) {
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            appendCharacter(out, text.charAt(i));
        }
        out.append('"');
    }

    private static void appendCharacter(StringBuilder out, char c) {
        switch (c) {
            case '"' -> out.append("\\\"");
            case '\\' -> out.append("\\\\");
            case '\n' -> out.append("\\n");
            case '\r' -> out.append("\\r");
            case '\t' -> out.append("\\t");
            default -> {
                if (c < 0x20) {
                    out.append("\\u00").append(HEX.charAt(c >> 4)).append(HEX.charAt(c & 15));
                } else {
                    out.append(c);
                }
            }
        }
    }

    private static void appendDouble(StringBuilder out, double number) {
        if (Double.isNaN(number) || Double.isInfinite(number)) {
            appendString(out, Double.toString(number));
        } else {
            out.append(number);
        }
    }

    private static void appendMap(StringBuilder out, Map<?, ?> map) {
        out.append('{');
        String comma = "";
        for (Map.Entry<?, ?> entry : map.entrySet()) {
            out.append(comma);
            appendString(out, String.valueOf(entry.getKey()));
            out.append(':');
            appendValue(out, entry.getValue());
            comma = ",";
        }
        out.append('}');
    }

    private static void appendItems(StringBuilder out, Collection<?> items) {
        out.append('[');
        String comma = "";
        for (Object item : items) {
            out.append(comma);
            appendValue(out, item);
            comma = ",";
        }
        out.append(']');
    }
}

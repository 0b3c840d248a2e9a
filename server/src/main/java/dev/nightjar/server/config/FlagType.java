/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.config;

import java.math.BigInteger;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * A kind of flag value: how its text is read, and what help calls it. Stateless.
 *
 * @param <T> what the text becomes
 */
final class FlagType<T> {
    static final FlagType<String> STRING = new FlagType<>("string", text -> text);
    static final FlagType<Boolean> BOOL = new FlagType<>("bool", FlagType::bool);
    static final FlagType<Duration> DURATION = new FlagType<>("duration", GoDuration::parse);
    static final FlagType<List<ServerUrl>> URLS = new FlagType<>("URL list", ServerUrl::parseList);
    static final FlagType<Long> INT64 =
            new FlagType<>("int", text -> number(text, BigInteger.valueOf(Long.MIN_VALUE), Long.MAX_VALUE));
    static final FlagType<Long> UINT = new FlagType<>("uint", text -> number(text, BigInteger.ZERO, Long.MAX_VALUE));
    static final FlagType<Long> UINT32 = new FlagType<>("uint32", text -> number(text, BigInteger.ZERO, 0xffff_ffffL));

    private static final Map<String, Boolean> BOOLS = Map.ofEntries(
            Map.entry("1", true),
            Map.entry("t", true),
            Map.entry("T", true),
            Map.entry("true", true),
            Map.entry("TRUE", true),
            Map.entry("True", true),
            Map.entry("0", false),
            Map.entry("f", false),
            Map.entry("F", false),
            Map.entry("false", false),
            Map.entry("FALSE", false),
            Map.entry("False", false));

    /** Go's integer literals: decimal, or with a prefix for another base; underscores between digits. */
    private static final Pattern NUMBER =
            Pattern.compile("[+-]?(?:0[xX](?:_?[0-9a-fA-F])+|0[bB](?:_?[01])+|0[oO]?(?:_?[0-7])+|0|[1-9](?:_?[0-9])*)");

    private final String label;
    private final Reader<T> reader;

    private FlagType(String label, Reader<T> reader) {
        this.label = label;
        this.reader = reader;
    }

    /** A flag that takes one of a few words. */
    static FlagType<String> choice(String... words) {
        List<String> allowed = List.of(words);
        return new FlagType<>(String.join("|", allowed), text -> {
            if (!allowed.contains(text)) {
                throw new ConfigException("invalid value");
            }
            return text;
        });
    }

    /** Reads {@code text}; the exception's message is the reason alone, without flag name. */
    T parse(String text) throws ConfigException {
        return reader.read(text);
    }

    /** What help calls it. */
    String label() {
        return label;
    }

    private static Boolean bool(String text) throws ConfigException {
        Boolean value = BOOLS.get(text);
        if (value == null) {
            throw new ConfigException("parse error");
        }
        return value;
    }

    private static Long number(String text, BigInteger least, long most) throws ConfigException {
        if (!NUMBER.matcher(text).matches()) {
            throw new ConfigException("parse error");
        }
        BigInteger value = literal(text.replace("_", ""));
        if (least.signum() == 0 && (text.startsWith("-") || text.startsWith("+"))) {
            throw new ConfigException("parse error");
        }
        if (value.compareTo(least) < 0 || value.compareTo(BigInteger.valueOf(most)) > 0) {
            throw new ConfigException("value out of range");
        }
        return value.longValue();
    }

    private static BigInteger literal(String text) {
        boolean negative = text.startsWith("-");
        String digits = negative || text.startsWith("+") ? text.substring(1) : text;
        BigInteger value;
        if (digits.length() > 1 && digits.charAt(0) == '0') {
            value = switch (digits.charAt(1)) {
                case 'x', 'X' -> new BigInteger(digits.substring(2), 16);
                case 'b', 'B' -> new BigInteger(digits.substring(2), 2);
                case 'o', 'O' -> new BigInteger(digits.substring(2), 8);
                default -> new BigInteger(digits, 8);
            };
        } else {
            value = new BigInteger(digits);
        }
        return negative ? value.negate() : value;
    }

    /** Makes a value of a text. */
    @FunctionalInterface
    private interface Reader<T> {
        T read(String text) throws ConfigException;
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.ctl.command;

import com.google.protobuf.ByteString;
import dev.nightjar.ctl.client.CtlException;
import java.util.List;

/**
 * The keys that a request is about; immutable, any thread.
 *
 * @param end the end of the range, itself not in it; empty for the key alone, one zero byte for no end
 */
record KeyRange(ByteString key, ByteString end) {

    private static final ByteString ZERO = ByteString.copyFrom(new byte[1]);

    /**
     * What the arguments of a command name: KEY, or KEY and RANGE_END.
     *
     * @throws CtlException if they name no range
     */
    static KeyRange of(String command, List<String> arguments, boolean prefix, boolean fromKey) {
        if (prefix && fromKey) {
            throw CtlCommand.badArguments("`--prefix` and `--from-key` cannot be set at the same time, choose one");
        }
        if (arguments.isEmpty() || arguments.size() > 2) {
            throw CtlCommand.badArguments(
                    command + " command needs one argument as key and an optional argument as range_end");
        }
        String key = arguments.getFirst();
        if (arguments.size() == 2) {
            if (prefix || fromKey) {
                throw CtlCommand.badArguments(
                        "too many arguments, only accept one argument when `--prefix` or `--from-key` is set");
            }
            return between(key, arguments.getLast());
        }
        return prefix ? prefix(key) : fromKey ? from(key) : single(key);
    }

    /** One key. */
    static KeyRange single(String key) {
        return new KeyRange(RawText.bytes(key), ByteString.EMPTY);
    }

    /** The keys from one up to but not including another. */
    static KeyRange between(String key, String end) {
        return new KeyRange(RawText.bytes(key), RawText.bytes(end));
    }

    /** All keys from one on; from the empty one: all keys. */
    static KeyRange from(String key) {
        return new KeyRange(orZero(key), ZERO);
    }

    /** All keys that begin with something; with nothing: all keys. */
    static KeyRange prefix(String prefix) {
        if (prefix.isEmpty()) {
            return from(prefix);
        }
        ByteString key = RawText.bytes(prefix);
        return new KeyRange(key, prefixEnd(key));
    }

    /** The first key after all those that begin with a prefix; one zero byte if there is none. */
    private static ByteString prefixEnd(ByteString prefix) {
        byte[] end = prefix.toByteArray();
        for (int i = end.length - 1; i >= 0; i--) {
            if (end[i] != (byte) 0xff) {
                end[i]++;
                return ByteString.copyFrom(end, 0, i + 1);
            }
        }
        return ZERO;
    }

    private static ByteString orZero(String key) {
        return key.isEmpty() ? ZERO : RawText.bytes(key);
    }
}

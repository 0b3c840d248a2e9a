/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.apply;

import java.nio.ByteBuffer;

/**
 * The form of one log entry: a batch of commands.
 *
 * <pre>
 *   entry   = format (1 byte, 1) | count (4) | command × count
 *   command = type (1) | length (4) | body (the client's own request bytes)
 * </pre>
 *
 * <p>Numbers are big-endian. Stateless.
 */
public final class CommandCodec {
    private static final byte FORMAT = 1;

    /** Bytes of an entry besides its commands. */
    public static final int ENTRY_HEADER_BYTES = 5;

    /** Bytes of a command besides its body. */
    public static final int COMMAND_HEADER_BYTES = 5;

    private CommandCodec() {}

    /** Writes the head of an entry. */
    public static void putEntryHeader(ByteBuffer out, int commandCount) {
        out.put(FORMAT).putInt(commandCount);
    }

    /** Writes one command. */
    public static void putCommand(ByteBuffer out, CommandType type, byte[] body) {
        out.put((byte) type.number()).putInt(body.length).put(body);
    }

    /** Reads the head of an entry and returns the number of its commands. */
    static int takeEntryHeader(ByteBuffer in) {
        byte format = in.get();
        if (format != FORMAT) {
            throw new IllegalStateException(
                    "the log holds an entry of format " + format + ", which this version does not know");
        }
        return in.getInt();
    }

    /** Reads the type of the next command; {@link #takeBody} has to follow. */
    static CommandType takeType(ByteBuffer in) {
        return CommandType.of(in.get() & 0xff);
    }

    /** Reads the body of the next command. */
    static byte[] takeBody(ByteBuffer in) {
        int length = in.getInt();
        if (length < 0 || length > in.remaining()) {
            throw new IllegalStateException("the log holds a command of impossible length " + length);
        }
        byte[] body = new byte[length];
        in.get(body);
        return body;
    }
}

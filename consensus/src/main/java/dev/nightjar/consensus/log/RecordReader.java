/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.consensus.log;

import dev.nightjar.consensus.LogCorruptException;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Reads one record of a known place. Any thread. */
final class RecordReader {
    /** One read fetches most records whole. */
    private static final int GUESS_BYTES = 4096;

    private RecordReader() {}

    static LogRecord read(LogFile file, long offset, long index, String describedName) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(GUESS_BYTES);
        int read = file.read(bytes, offset);
        if (read < RecordFormat.HEADER_BYTES || !RecordFormat.isPossibleLength(bytes.getInt(0))) {
            throw new LogCorruptException(describedName, offset, "no record where entry " + index + " was written");
        }
        int size = RecordFormat.PREFIX_BYTES + bytes.getInt(0);
        if (size > read) {
            ByteBuffer whole = ByteBuffer.allocate(size).put(bytes.flip());
            if (file.read(whole, offset + read) < size - read) {
                throw new LogCorruptException(describedName, offset, "entry " + index + " is cut short");
            }
            bytes = whole;
        }
        if (!RecordFormat.isWhole(bytes, 0) || RecordFormat.indexAt(bytes, 0) != index) {
            throw new LogCorruptException(describedName, offset, "entry " + index + " is damaged");
        }
        return RecordFormat.decode(bytes, 0);
    }
}

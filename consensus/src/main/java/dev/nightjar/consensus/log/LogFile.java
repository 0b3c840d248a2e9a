/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.consensus.log;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/** An open file. Reads may run at the same time as one writer. */
public interface LogFile extends Closeable {

    /** Reads from {@code position} until the buffer is full or the file ends; returns the number of bytes read. */
    int read(ByteBuffer target, long position) throws IOException;

    /** Writes all remaining bytes at {@code position}. */
    void write(ByteBuffer source, long position) throws IOException;

    /** Makes what was written durable, with the file's size if it changed. */
    void sync() throws IOException;

    /** The file's size in bytes. */
    long size() throws IOException;

    /** Cuts the file. */
    void truncate(long size) throws IOException;
}

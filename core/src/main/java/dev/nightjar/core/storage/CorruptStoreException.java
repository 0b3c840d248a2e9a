/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.storage;

import java.io.IOException;
import java.nio.file.Path;

/** Stored bytes are not what was written. The store is not opened; a member gets a snapshot from the others. */
public final class CorruptStoreException extends IOException {
    private static final long serialVersionUID = 1L;
    private final String file;
    private final long offset;
    private final String what;

    public CorruptStoreException(Path file, long offset, String what) {
        super(file + ", offset " + offset + ": " + what);
        this.file = file.toString();
        this.offset = offset;
        this.what = what;
    }

    public String file() {
        return file;
    }

    /** Offset in bytes of the frame or header that is bad. */
    public long offset() {
        return offset;
    }

    /** The message without file and offset. */
    public String what() {
        return what;
    }
}

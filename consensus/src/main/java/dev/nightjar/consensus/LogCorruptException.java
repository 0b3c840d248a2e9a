/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.consensus;

import java.io.IOException;

/** A file of the log is damaged where no crash can have damaged it. The member must not start on it. */
public final class LogCorruptException extends IOException {
    private static final long serialVersionUID = 1L;

    /** The damaged file. */
    private final String file;

    /** Where in the file, in bytes. */
    private final long offset;

    /** What is wrong there. */
    private final String what;

    public LogCorruptException(String file, long offset, String what) {
        super("consensus log is corrupt: " + file + " at offset " + offset + ": " + what);
        this.file = file;
        this.offset = offset;
        this.what = what;
    }

    /** What is wrong there. */
    public String what() {
        return what;
    }

    /** The damaged file. */
    public String file() {
        return file;
    }

    /** The offset of the damage in the file, in bytes. */
    public long offset() {
        return offset;
    }
}

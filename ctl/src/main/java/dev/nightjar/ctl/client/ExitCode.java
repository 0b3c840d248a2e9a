/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.ctl.client;

/** The exit codes of the tool, the same as those of etcdctl; any thread. */
public enum ExitCode {
    /** All went well. */
    SUCCESS(0),
    /** The server refused, or something else went wrong. */
    ERROR(1),
    /** There is no usable endpoint. */
    BAD_CONNECTION(2),
    /** What came on standard input made no sense. */
    INVALID_INPUT(3),
    /** The wish is understood but not supported. */
    UNSUPPORTED(4),
    /** A watch was ended by the server. */
    INTERRUPTED(5),
    /** Reading or writing failed. */
    IO(6),
    /** The arguments made no sense. */
    BAD_ARGUMENTS(128);

    private final int code;

    ExitCode(int code) {
        this.code = code;
    }

    /** The number for the operating system. */
    public int code() {
        return code;
    }
}

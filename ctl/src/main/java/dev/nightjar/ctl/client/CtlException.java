/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.ctl.client;

import java.io.Serial;

/** Ends the command with a message for the user and an exit code; any thread. */
public final class CtlException extends RuntimeException {

    @Serial
    private static final long serialVersionUID = 1L;

    private final ExitCode exitCode;

    public CtlException(ExitCode exitCode, String message) {
        super(message);
        this.exitCode = exitCode;
    }

    /** With the failure that led here. */
    public CtlException(ExitCode exitCode, String message, Throwable cause) {
        super(message, cause);
        this.exitCode = exitCode;
    }

    public ExitCode exitCode() {
        return exitCode;
    }

    /** The message, never null. */
    public String text() {
        return String.valueOf(getMessage());
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server;

/** The server cannot start; the message says why, in words for an operator. */
public final class StartFailure extends Exception {
    private static final long serialVersionUID = 1L;

    public StartFailure(String message) {
        super(message);
    }

    public StartFailure(String message, Throwable cause) {
        super(message, cause);
    }
}

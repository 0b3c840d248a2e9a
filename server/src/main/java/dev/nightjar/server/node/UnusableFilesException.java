/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.node;

/** The files of a member cannot be used; the message says why, in words for an operator. */
public final class UnusableFilesException extends Exception {
    private static final long serialVersionUID = 1L;

    UnusableFilesException(String message) {
        super(message);
    }

    UnusableFilesException(String message, Throwable cause) {
        super(message, cause);
    }
}

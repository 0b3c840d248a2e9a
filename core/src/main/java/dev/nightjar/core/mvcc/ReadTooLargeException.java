/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.mvcc;

/** A read would take more memory than its budget has left. */
public final class ReadTooLargeException extends RuntimeException {

    private static final long serialVersionUID = 1;

    ReadTooLargeException() {
        super("no memory for a sorted read of so many keys", null, false, false);
    }
}

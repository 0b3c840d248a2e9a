/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.storage;

/** A write failed and the store has stopped: nothing is accepted or answered until it is opened anew. */
public final class StoreFailedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public StoreFailedException(String message, Throwable cause) {
        super(message, cause);
    }
}

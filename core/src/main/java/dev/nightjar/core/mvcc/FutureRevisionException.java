/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.mvcc;

/** The asked revision has not been written yet. */
public final class FutureRevisionException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public FutureRevisionException() {
        super("mvcc: required revision is a future revision", null, false, false);
    }
}

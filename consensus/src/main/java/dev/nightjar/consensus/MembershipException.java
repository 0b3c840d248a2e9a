/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.consensus;

/** A change of members failed. */
public final class MembershipException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** The kind of failure. */
    private final MembershipFailure failure;

    public MembershipException(MembershipFailure failure, String message) {
        super(message);
        this.failure = failure;
    }

    /** The kind of failure. */
    public MembershipFailure failure() {
        return failure;
    }
}

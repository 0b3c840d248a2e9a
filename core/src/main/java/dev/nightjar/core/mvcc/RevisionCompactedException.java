/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.mvcc;

/** The asked revision lies below the compacted one: its state is gone. */
public final class RevisionCompactedException extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private final long compactedRevision;

    public RevisionCompactedException(long compactedRevision) {
        super("mvcc: required revision has been compacted", null, false, false);
        this.compactedRevision = compactedRevision;
    }

    /** The compacted revision at the time of the refusal. */
    public long compactedRevision() {
        return compactedRevision;
    }
}

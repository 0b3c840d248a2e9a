/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.watch;

import dev.nightjar.core.mvcc.ChangeSource;

/** A recent history in which something happens, say a burst of writes, between two changes that a reader sees. */
final class OvertakenHistory extends EventHistory {
    private int changesLeft;
    private Runnable action = () -> {};

    OvertakenHistory(long limitBytes, long revision) {
        super(limitBytes, revision);
    }

    /** Does something once, before the given change of the next reads. */
    void before(int changes, Runnable newAction) {
        changesLeft = changes;
        action = newAction;
    }

    @Override
    long read(long fromRevision, long toRevision, ChangeSource.Visitor visitor) {
        return super.read(fromRevision, toRevision, change -> {
            if (--changesLeft == 0) {
                action.run();
            }
            return visitor.visit(change);
        });
    }
}

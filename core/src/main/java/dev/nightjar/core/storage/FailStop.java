/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.storage;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Whether a log still works: after the first failure it never does again, since nobody knows what is on disk then. Any
 * thread.
 */
final class FailStop {

    private final AtomicReference<@Nullable Throwable> cause = new AtomicReference<>();

    boolean hasStopped() {
        return cause.get() != null;
    }

    /** Notes why the log stops; the first reason counts. */
    void stop(Throwable reason) {
        cause.compareAndSet(null, reason);
    }

    /** Stops the log and returns what to throw. */
    StoreFailedException failed(String what, IOException reason) {
        stop(reason);
        return new StoreFailedException(what + " failed, the store stops: " + reason.getMessage(), reason);
    }

    /** @throws StoreFailedException if the log has stopped */
    void requireRunning() {
        Throwable reason = cause.get();
        if (reason != null) {
            throw new StoreFailedException("the store has stopped: " + reason.getMessage(), reason);
        }
    }
}

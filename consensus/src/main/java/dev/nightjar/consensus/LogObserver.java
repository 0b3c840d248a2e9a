/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.consensus;

/** Told about the work of the log, for metrics. Called on the log thread; must return at once. */
public interface LogObserver {

    /** An observer that looks away. */
    LogObserver NONE = new LogObserver() {
        @Override
        public void written(long bytes, long nanos) {}

        @Override
        public void synced(long nanos) {}
    };

    /** A group of entries of {@code bytes} bytes was written to the file in {@code nanos} nanoseconds. */
    void written(long bytes, long nanos);

    /** A group was made durable in {@code nanos} nanoseconds. */
    void synced(long nanos);
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.watch;

/** A sink for tests in which every response is in memory as a whole. */
interface ShortResponses extends WatchSink {
    @Override
    default void beginLong(long watchId, long headerRevision, boolean fragment, long eventBytes) {
        throw new AssertionError("no revision here is long");
    }

    @Override
    default boolean takesPart() {
        throw new AssertionError("no revision here is long");
    }

    @Override
    default void part(EventBatch batch, boolean last) {
        throw new AssertionError("no revision here is long");
    }
}

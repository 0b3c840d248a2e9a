/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.check;

import dev.nightjar.api.mvccpb.Event;
import java.util.List;

/** One thing that a watch told its client; a value. */
public sealed interface Delivery {
    /** The watch was accepted; it begins after {@code revision} unless it asked for a start. */
    record Created(long revision) implements Delivery {}

    /** One response with events, its fragments joined. */
    record Events(List<Event> events) implements Delivery {
        long firstRevision() {
            return events.getFirst().getKv().getModRevision();
        }

        long lastRevision() {
            return events.getLast().getKv().getModRevision();
        }
    }

    /** Everything up to {@code revision} has been told. */
    record Progress(long revision) implements Delivery {}

    /** The watch is over; {@code compactRevision} is 0 unless a compaction ended it. */
    record Canceled(long compactRevision) implements Delivery {}
}

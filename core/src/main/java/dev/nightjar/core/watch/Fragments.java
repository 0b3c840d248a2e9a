/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.watch;

import java.util.ArrayList;
import java.util.List;

/**
 * Splits a response that is too large for one message; any thread. A part is closed by the event that would take it to
 * the limit or beyond, but holds at least one event; an event is never split.
 */
final class Fragments {
    private Fragments() {}

    /**
     * @param baseBytes size of the response without its events
     * @return the parts in order; the batch itself if it need not be split
     */
    static List<EventBatch> split(EventBatch batch, long baseBytes, long limitBytes) {
        if (batch.size() < 2 || baseBytes + batch.encodedBytes() < limitBytes) {
            return List.of(batch);
        }
        long empty = baseBytes + ResponseSize.FRAGMENT_FLAG_BYTES;
        List<EventBatch> parts = new ArrayList<>();
        int from = 0;
        long size = empty;
        for (int i = 0; i < batch.size(); i++) {
            long event = batch.eventBytes(i);
            if (i > from && size + event >= limitBytes) {
                parts.add(batch.part(from, i));
                from = i;
                size = empty;
            }
            size += event;
        }
        parts.add(batch.part(from, batch.size()));
        return parts;
    }
}

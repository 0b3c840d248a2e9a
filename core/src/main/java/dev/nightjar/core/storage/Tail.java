/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.storage;

/**
 * How far a log has been written; immutable.
 *
 * @param segment the newest one
 * @param end of its last frame, in bytes
 * @param info what that frame says
 * @param rowBytes bytes of rows in the segment
 */
record Tail(Segment segment, long end, FrameInfo info, long rowBytes) {

    /** The end of a segment to which nobody appends just now. */
    static Tail of(Segment segment, FrameInfo info) {
        return new Tail(segment, segment.end(), info, segment.account().rowBytes());
    }

    long place() {
        return Place.of(segment.header().fileId(), end);
    }

    long position() {
        return Place.position(segment.header().lastSequence(), end);
    }
}

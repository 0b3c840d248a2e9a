/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.watch;

import org.jspecify.annotations.Nullable;

/**
 * One registered interest; owned by the loop of its stream. There may be a million of them: everything here is counted
 * in bytes, and what only a moment needs is kept elsewhere.
 */
final class Watcher extends RangeMember<Watcher> {
    static final int NO_PUT = 1;
    static final int NO_DELETE = 2;
    static final int PREVIOUS = 4;

    /** The options that change what a batch of events holds. */
    static final int CONTENT_OPTIONS = NO_PUT | NO_DELETE | PREVIOUS;

    static final int PROGRESS = 8;
    static final int FRAGMENT = 16;

    /** No event since the last progress tick. */
    private static final int DUE = 32;

    /** Starts in the future: not before its start is reached is there any progress to tell. */
    private static final int FUTURE = 64;

    /** Starts at the compacted revision: what came before it is not to be told. */
    private static final int BARE_START = 128;

    final WatchStream stream;
    final long id;
    private long nextRevision;
    private WatcherState state;
    private int flags;

    /** Next in the one queue that the watcher may be in. */
    @Nullable
    Watcher nextInQueue;

    Watcher(WatchStream stream, long id, KeyRange range, int options, long nextRevision) {
        super(new RangeSet<>(range));
        this.stream = stream;
        this.id = id;
        this.nextRevision = nextRevision;
        state = WatcherState.CLOSED;
        flags = options | DUE;
    }

    static int options(WatchCreate.Options options) {
        return (options.noPut() ? NO_PUT : 0)
                | (options.noDelete() ? NO_DELETE : 0)
                | (options.previous() ? PREVIOUS : 0)
                | (options.progressNotify() ? PROGRESS : 0)
                | (options.fragment() ? FRAGMENT : 0);
    }

    WatcherState state() {
        return state;
    }

    /** Only the shard changes states, as it keeps count of them. */
    void state(WatcherState newState) {
        state = newState;
    }

    int options() {
        return flags;
    }

    boolean has(int option) {
        return (flags & option) != 0;
    }

    /**
     * The smallest revision that the client may still lack. Of a synced watcher it lags behind the cursor while nothing
     * happens to the watcher: it is where the client would resume by what it was told last.
     */
    long nextRevision() {
        return nextRevision;
    }

    /** Moves on, never back. */
    void moveTo(long revision) {
        if (revision > nextRevision) {
            nextRevision = revision;
            flags &= ~(BARE_START | FUTURE);
        }
    }

    void startsInFuture() {
        flags |= FUTURE;
    }

    void startsBare() {
        flags |= BARE_START;
    }

    /** Revision whose events get no previous value, 0 for none. */
    long bareRevision() {
        return has(BARE_START) ? nextRevision : 0;
    }

    /** Whether a progress response with this revision would be true and wanted. */
    boolean reached(long revision) {
        if (has(FUTURE) && nextRevision <= revision) {
            flags &= ~FUTURE;
        }
        return state == WatcherState.SYNCED && nextRevision <= (has(FUTURE) ? revision : revision + 1);
    }

    void gotEvents() {
        flags &= ~DUE;
    }

    /** Whether nothing was sent since the last call. */
    boolean tick() {
        boolean due = has(DUE);
        flags |= DUE;
        return due;
    }
}

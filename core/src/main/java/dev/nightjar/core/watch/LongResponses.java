/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.watch;

import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * The responses of one shard that are too long to be in memory as a whole; owned by its loop. A stream has one of them at
 * a time, which is all that it sends from its first part to its last; one part is read at a time, by a history reader,
 * when the stream takes it.
 *
 * <pre>
 *   unsynced or synced watcher, long revision    waits in its stream
 *   its turn                                     measured, read, sent part by part
 *   last part sent, or nothing for this watcher  unsynced or synced again, next revision
 * </pre>
 */
final class LongResponses {
    static final long MOST_BYTES = Integer.MAX_VALUE - 1024;

    private final WatchShard shard;
    private final ArrayDeque<WatchStream> due = new ArrayDeque<>();
    private boolean reading;

    /** What one stream has of them. */
    static final class OfStream {
        private final WatcherQueue waiting = new WatcherQueue();
        private @Nullable LongResponse current;
        private boolean due;

        void clear() {
            waiting.clear();
            current = null;
        }
    }

    LongResponses(WatchShard shard) {
        this.shard = shard;
    }

    /** Takes up an unsynced watcher whose next revision is long. */
    void add(Watcher watcher) {
        watcher.stream.longResponses.waiting.add(watcher);
        due(watcher.stream);
    }

    /** The sink of the stream takes bytes again. */
    void writable(WatchStream stream) {
        OfStream of = stream.longResponses;
        if (of.current != null || !of.waiting.isEmpty()) {
            due(stream);
            shard.schedule();
        }
    }

    private void due(WatchStream stream) {
        if (!stream.longResponses.due) {
            stream.longResponses.due = true;
            due.add(stream);
        }
    }

    /**
     * Does one bounded piece of work.
     *
     * @return whether there is more to do now
     */
    boolean step() {
        if (!reading) {
            WatchStream stream = due.poll();
            if (stream != null) {
                stream.longResponses.due = false;
                advance(stream);
            }
        }
        return !reading && !due.isEmpty();
    }

    private void advance(WatchStream stream) {
        LongResponse response = current(stream);
        if (response == null) {
            return;
        }
        if (!isWanted(response)) {
            stream.longResponses.current = null;
            due(stream);
        } else if (!response.hasPart()) {
            if (response.isMeasured() && !stream.takes(response)) {
                return; // not read before it can be sent, as nobody knows when that will be
            }
            reading = true;
            shard.read(response::read, () -> arrived(stream, response));
        } else {
            write(stream, response);
        }
    }

    private void write(WatchStream stream, LongResponse response) {
        if (stream.write(response)) {
            goOn(stream, response);
        }
    }

    private @Nullable LongResponse current(WatchStream stream) {
        OfStream of = stream.longResponses;
        while (!stream.isClosed() && of.current == null) {
            Watcher watcher = of.waiting.poll();
            if (watcher == null) {
                break;
            }
            if (watcher.state() == WatcherState.UNSYNCED) {
                of.current =
                        new LongResponse(watcher, shard.source(), shard.limits().revision());
            }
        }
        return of.current;
    }

    private void arrived(WatchStream stream, LongResponse response) {
        reading = false;
        if (stream.isClosed()) {
            return;
        }
        Throwable failure = response.failure();
        if (failure != null) {
            stream.fail(failure);
        } else if (response.isGone()) {
            stream.longResponses.current = null;
            if (response.watcher().state() == WatcherState.UNSYNCED) {
                stream.cancelCompacted(response.watcher(), shard.source().compactedRevision());
            }
            due(stream);
        } else if (response.eventBytes() > MOST_BYTES) {
            stream.fail(new IllegalStateException("the events of revision " + response.revision()
                    + " are longer than a message may be; a watch that allows fragments gets them"));
        } else if (response.hasPart() && isWanted(response)) {
            write(stream, response); // at once: were it to wait for its turn, every stream would hold a part
        } else {
            goOn(stream, response);
        }
    }

    /** A watcher that was canceled before its response was begun gets none of it. */
    private static boolean isWanted(LongResponse response) {
        return response.hasBegun() || response.watcher().state() != WatcherState.CLOSED;
    }

    private void goOn(WatchStream stream, LongResponse response) {
        if (response.isDone() && !response.hasPart()) {
            stream.longResponses.current = null;
            Watcher watcher = response.watcher();
            if (watcher.state() == WatcherState.UNSYNCED) {
                watcher.moveTo(response.revision() + 1);
                shard.caughtUp(watcher);
            }
            stream.writable();
        }
        due(stream);
    }
}

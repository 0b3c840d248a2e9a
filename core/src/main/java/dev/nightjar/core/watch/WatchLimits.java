/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.watch;

import java.time.Duration;

/**
 * The limits of the watch engine. All counts and sizes are soft by one revision, which is never cut.
 *
 * @param historyBytes of the latest changes kept in memory: some ten thousand of usual size, so that what a watcher
 *     that stalls briefly needs is not read from files
 * @param turn of one task on an event loop
 * @param catchUp of one scan for unsynced watchers
 * @param revision when the changes of one revision are too many to be held
 * @param stream of one watch stream
 * @param progressInterval between progress responses of an idle watcher that asked for them; positive
 */
public record WatchLimits(
        long historyBytes, Turn turn, CatchUp catchUp, Revision revision, Stream stream, Duration progressInterval) {

    /**
     * @param changes looked at before other work of the loop gets its turn: about a millisecond of matching
     * @param bytes of the changes looked at: the responses of one turn fit into a stream's queue
     * @param responses written before other work of the loop gets its turn: some tenths of a millisecond of encoding
     */
    public record Turn(int changes, long bytes, int responses) {
        public static final Turn DEFAULT = new Turn(1000, 1 << 20, 250);
    }

    /**
     * @param changes read by one scan: short enough that another group of watchers soon gets its turn
     * @param bytes of matching changes that one scan brings: what is held while its responses are written
     * @param watchers served by one scan: preparing and ending it is work for the loop
     * @param inlineRevisions a group no farther behind than this is caught up on the loop, from recent history
     */
    public record CatchUp(int changes, long bytes, int watchers, int inlineRevisions) {
        public static final CatchUp DEFAULT = new CatchUp(10_000, 1 << 20, 8192, 1000);
    }

    /**
     * What the changes of one revision may hold is limited as well: a revision comes whole, but need not be in memory as a
     * whole (see {@link LongResponses}).
     *
     * @param responseBytes of changes, and of previous values, that one response of one revision may hold: a longer one is
     *     read and sent in parts. A stream may overshoot its queue by that
     * @param heldBytes of the changes of one revision that are held at a time for all ranges
     * @param partBytes of a part: a few milliseconds of a fast network
     * @param stepChanges looked at before another stream gets its turn: some milliseconds
     */
    public record Revision(long responseBytes, long heldBytes, long partBytes, int stepChanges) {
        public static final Revision DEFAULT = new Revision(4 << 20, 16 << 20, 256 << 10, 20_000);
    }

    /**
     * @param watchersPerStream more are refused: a client that loses count of its watchers
     * @param watchersPerConnection more are refused, over all streams of the connection
     * @param responseBytes a response of several revisions ends with the one that reaches it: small against what a
     *     stream may queue, which it can overshoot by one response
     * @param fragmentBytes a response of this size is split for a watcher that allows it: what clients receive at most
     * @param canceledIds ids remembered after a cancel by compaction, to answer the client's own late cancel; the
     *     oldest is forgotten
     */
    public record Stream(
            int watchersPerStream, int watchersPerConnection, long responseBytes, long fragmentBytes, int canceledIds) {
        public static final Stream DEFAULT = new Stream(10_000_000, 10_000_000, 1 << 18, 2 << 20, 1024);
    }

    public static final WatchLimits DEFAULT = new WatchLimits(
            32L << 20, Turn.DEFAULT, CatchUp.DEFAULT, Revision.DEFAULT, Stream.DEFAULT, Duration.ofMinutes(10));
}

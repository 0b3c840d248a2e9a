/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.watch;

import dev.nightjar.core.mvcc.Change;
import dev.nightjar.core.mvcc.ChangeSource;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Feeds the synced watchers of one shard; owned by its loop.
 *
 * <p>A turn has two parts. It first walks the history from the cursor on, a bounded number of whole revisions, and
 * collects the matching changes once for each distinct range. Then it hands each stream the responses of its watchers,
 * stream after stream, so that all of a stream goes out in one write; this part may be spread over several tasks. The
 * cursor stands behind the walked revisions already; whoever wants to tell a stream something in between first lets
 * {@link #settle} write what the stream is still to get, so nothing overtakes.
 *
 * <pre>
 *   cursor 7, published 10      walk 8, 9, 10 → range "a": [8, 10], range "b": [9]
 *   stream 1: watchers 0, 1 of "a"               one write: 0 [8, 10], 1 [8, 10]
 *   stream 2: watcher 0 of "a", 1 of "b"         not writable: both are victims, next revisions 8 and 9
 *   cursor 10
 * </pre>
 *
 * <p>If the loop was held up so long that the history has moved on, or the store was replaced, the walk goes on from
 * chunks that the history reader fetches; for the watchers nothing changes.
 */
final class LiveTurn {
    private final WatchShard shard;
    private final RangeIndex<Watcher> synced;
    private final WatchLimits.Turn limits;
    private final Gathering<Watcher> found;
    private final ArrayDeque<WatchStream> undelivered = new ArrayDeque<>();
    private long cursor;
    private long walked;
    private int changes;
    private long bytes;
    private @Nullable Change current;
    private @Nullable HistoryChunk fetching;

    /** A revision that has been matched in part and is not behind the cursor yet. */
    private long partlyMatched;

    /** The turn under way brings the watchers up to what was published when it began. */
    private boolean foundAll;

    private final Pace pace = new Pace();
    private final ChangeSource.Visitor visitor = this::visit;
    private final Consumer<RangeSet<Watcher>> collector = this::collect;

    LiveTurn(WatchShard shard, RangeIndex<Watcher> synced) {
        this.shard = shard;
        this.synced = synced;
        limits = shard.limits().turn();
        found = new Gathering<>(shard.limits().revision());
    }

    /** Synced watchers have got, or will be handed in this turn, everything up to here. */
    long cursor() {
        return cursor;
    }

    /**
     * A watcher that joins the synced ones has to have everything up to here: the cursor, or the revision after it if a
     * part of that has been matched already.
     */
    long joinRevision() {
        return Math.max(cursor, partlyMatched);
    }

    /** Leaps forward while there is no synced watcher. */
    void leap(long revision) {
        cursor = Math.max(cursor, revision);
    }

    /**
     * Does one bounded piece of work.
     *
     * @return whether there is more to do now
     */
    boolean step() {
        long begin = shard.nanoTime();
        boolean betweenTurns = undelivered.isEmpty() && fetching == null;
        if (betweenTurns && pace.restNanos(begin) > 0) {
            shard.scheduleAfter(pace.restNanos(begin));
            return false;
        }
        boolean more = work();
        long end = shard.nanoTime();
        pace.worked(end - begin);
        if (undelivered.isEmpty() && fetching == null) {
            pace.turnEnded(foundAll, end);
        }
        return more;
    }

    private boolean work() {
        if (fetching != null) {
            return false;
        }
        if (deliver()) {
            return true;
        }
        long published = shard.source().publishedRevision();
        if (synced.size() == 0) {
            leap(published);
        } else if (cursor < published) {
            walk(published);
        }
        return deliver() || (fetching == null && cursor < published);
    }

    /** Has the next step look for changes, even if the shard rests. */
    void hurry() {
        pace.hurry();
    }

    /** Writes what a stream is still to get in this turn. */
    void settle(WatchStream stream) {
        if (stream.hasTurn()) {
            stream.deliverTurn(Integer.MAX_VALUE);
        }
    }

    private void walk(long published) {
        begin();
        long end = shard.history().read(cursor + 1, published, visitor);
        if (end == EventHistory.GONE) {
            fetch(published);
        } else {
            foundAll = end > published;
            collected(end);
        }
    }

    private void begin() {
        walked = cursor;
        changes = 0;
        bytes = 0;
    }

    private boolean visit(Change change) {
        if (change.revision() != walked) {
            if (changes >= limits.changes() || bytes >= limits.bytes()) {
                return false;
            }
            walked = change.revision();
        }
        changes++;
        bytes += change.keyValue().length;
        current = change;
        synced.match(change.key(), collector);
        return true;
    }

    private void collect(RangeSet<Watcher> set) {
        found.add(set, Objects.requireNonNull(current));
    }

    /** Ends the walk before a revision and gives every stream its part. */
    private void collected(long end) {
        current = null;
        cursor = end - 1;
        if (walked >= end) {
            found.truncate(end);
        }
        for (RangeSet<Watcher> set : found.touched()) {
            Matches matches = Objects.requireNonNull(set.matches);
            if (matches.size() > 0 || matches.cutRevision() != 0) {
                for (Watcher watcher = set.first; watcher != null; watcher = watcher.nextInSet) {
                    if (watcher.stream.addToTurn(watcher)) {
                        undelivered.add(watcher.stream);
                    }
                }
            }
        }
    }

    /** Returns whether some streams are left for the next task. */
    private boolean deliver() {
        int budget = limits.responses();
        while (budget > 0) {
            WatchStream stream = undelivered.poll();
            if (stream == null) {
                found.clear();
                return false;
            }
            budget -= Math.max(1, stream.deliverTurn(budget));
            if (stream.hasTurn()) {
                undelivered.addFirst(stream);
            }
        }
        return true;
    }

    /** The next revision is not in the recent history any more: have it read, or admit that it is compacted. */
    private void fetch(long published) {
        long compacted = shard.source().compactedRevision();
        if (cursor + 1 < compacted) {
            shard.cancelOvertaken(compacted);
            cursor = compacted - 1;
            return;
        }
        begin();
        found.clear();
        read(new HistoryChunk(cursor + 1, published, limits, shard.limits().revision()));
    }

    private void read(HistoryChunk chunk) {
        fetching = chunk;
        shard.read(() -> chunk.read(shard.source()), () -> arrived(chunk));
    }

    private void arrived(HistoryChunk chunk) {
        fetching = null;
        Throwable failure = chunk.failure();
        if (chunk.from() != cursor + 1 || failure != null) {
            found.clear();
            if (chunk.from() == cursor + 1) {
                shard.failSynced(Objects.requireNonNull(failure));
            }
            return;
        }
        if (!chunk.isGone()) {
            chunk.changes().forEach(visitor::visit);
            if (chunk.isPartial()) {
                partlyMatched = chunk.from();
                read(chunk);
                return;
            }
            foundAll = false;
            collected(chunk.end());
        }
    }
}

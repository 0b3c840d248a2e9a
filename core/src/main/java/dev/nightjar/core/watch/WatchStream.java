/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.watch;

import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * One watch stream of a client, with its watchers; owned by the loop of its shard, on which all methods are to be
 * called. The caller has checked permissions; requests are to come in the order of arrival, and only while the sink is
 * writable if the client is to feel that it does not read its answers.
 */
public final class WatchStream {
    /** In place of an id: no watcher, or all. */
    static final long NO_WATCHER = -1;

    static final String COMPACTED = "etcdserver: mvcc: required revision has been compacted";
    static final String EMPTY_RANGE = "mvcc: watcher range is empty";
    static final String DUPLICATE_ID = "mvcc: duplicate watch ID provided on the WatchStream";
    static final String RESERVED_ID = "mvcc: watch ID -1 is reserved";
    static final String STREAM_FULL = "etcdserver: too many watchers on the stream";
    static final String CONNECTION_FULL = "etcdserver: too many watchers on the connection";

    private final WatchShard shard;
    private final WatchSink sink;
    private final WatcherQuota quota;
    private final WatcherTable watchers = new WatcherTable();
    private final WatcherQueue turn = new WatcherQueue();
    private final WatcherQueue victims = new WatcherQueue();
    final LongResponses.OfStream longResponses = new LongResponses.OfStream();
    private final CanceledIds canceledIds;
    private final long progressPeriodNanos;
    private long nextProgressNanos;
    private long nextId;
    private int progressWatchers;
    private boolean dirty;

    /** Index in the list of the shard. */
    int position;

    private boolean resuming;
    private boolean closed;

    WatchStream(WatchShard shard, WatchSink sink, WatcherQuota quota, long progressPeriodNanos) {
        this.shard = shard;
        this.sink = sink;
        this.quota = quota;
        canceledIds = new CanceledIds(shard.limits().stream().canceledIds());
        this.progressPeriodNanos = progressPeriodNanos;
        nextProgressNanos = shard.nanoTime() + progressPeriodNanos;
    }

    /** Handles a create request: one created response, with a reason if the watcher is refused. */
    public void create(WatchCreate request) {
        if (!begin()) {
            return;
        }
        shard.activate();
        long compacted = shard.source().compactedRevision();
        long published = shard.source().publishedRevision();
        KeyRange range = KeyRange.of(request.key(), request.rangeEnd());
        String reason = refusal(request, range);
        if (reason != null || range == null) {
            sink.rejected(Objects.requireNonNull(reason), published);
        } else {
            accept(request, range, compacted, published);
        }
        shard.deactivateIfIdle();
        sink.flush();
    }

    private void accept(WatchCreate request, KeyRange range, long compacted, long published) {
        long id = request.watchId() == 0 ? automaticId() : request.watchId();
        canceledIds.remove(id);
        sink.created(id, published);
        long start = request.startRevision();
        if (start > 0 && start < compacted) {
            canceledIds.add(id);
            sink.compacted(id, compacted);
        } else if (!closed) {
            long next = start == 0 ? published + 1 : start;
            Watcher watcher = new Watcher(this, id, range, Watcher.options(request.options()), next);
            if (start > shard.cursor()) {
                watcher.startsInFuture();
            }
            if (start == compacted) {
                watcher.startsBare();
            }
            register(watcher);
        }
    }

    /** Refuses a create request that the caller does not hand on, for the reason given. */
    public void refuse(String reason) {
        if (begin()) {
            sink.rejected(reason, shard.source().publishedRevision());
            sink.flush();
        }
    }

    /** Handles a cancel request; an id that is not known gets no answer. */
    public void cancel(long watchId) {
        if (!begin()) {
            return;
        }
        Watcher watcher = watchers.get(watchId);
        if (watcher != null) {
            remove(watcher);
        } else if (!canceledIds.remove(watchId)) {
            return;
        }
        sink.canceled(watchId, shard.source().publishedRevision());
        sink.flush();
    }

    /**
     * Handles a progress request. If all watchers have everything up to the cursor, one response speaks for all; else
     * each that has gets its own, and the others get none. A stream that takes no bytes gets none at all.
     */
    public void requestProgress() {
        shard.advance();
        if (!begin() || watchers.size() == 0 || !sink.isWritable()) {
            return;
        }
        long cursor = shard.cursor();
        int[] reached = new int[1];
        watchers.forEach(watcher -> reached[0] += watcher.reached(cursor) ? 1 : 0);
        if (reached[0] == watchers.size()) {
            sink.progress(NO_WATCHER, cursor);
            watchers.forEach(watcher -> watcher.moveTo(cursor + 1));
        } else {
            watchers.forEach(this::progress);
        }
        sink.flush();
    }

    /** The sink takes bytes again. */
    public void writable() {
        if (!closed) {
            shard.longResponses().writable(this);
        }
        if (!closed && !resuming && !victims.isEmpty()) {
            resuming = true;
            shard.resume(this);
        }
    }

    /** Ends the stream without a word; calls after this one do nothing. */
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        turn.clear();
        victims.clear();
        longResponses.clear();
        watchers.forEach(watcher -> {
            quota.release();
            shard.close(watcher);
        });
        shard.removed(this);
    }

    void fail(Throwable cause) {
        if (!closed) {
            close();
            shard.observer().streamFailed(cause);
            sink.fail(cause);
        }
    }

    // -- what the engine asks of the stream

    boolean isClosed() {
        return closed;
    }

    boolean isWritable() {
        return sink.isWritable();
    }

    WatcherTable watchers() {
        return watchers;
    }

    /** Notes a synced watcher whose range has matches; returns whether it is the stream's first of this turn. */
    boolean addToTurn(Watcher watcher) {
        boolean first = turn.isEmpty();
        turn.add(watcher);
        return first;
    }

    boolean hasTurn() {
        return !turn.isEmpty();
    }

    /** Writes what the turn has for so many watchers of the stream; returns the number of watchers served. */
    int deliverTurn(int limit) {
        int served = 0;
        while (served < limit) {
            Watcher watcher = turn.poll();
            if (watcher == null) {
                break;
            }
            served++;
            Matches matches = Objects.requireNonNull(watcher.set.matches);
            if (watcher.state() == WatcherState.SYNCED) {
                settleAfter(watcher, deliver(watcher, matches, 0));
            }
        }
        flush();
        return served;
    }

    private void settleAfter(Watcher watcher, Delivery delivery) {
        if (closed) {
            return;
        }
        switch (delivery) {
            case ALL -> {}
            case BEHIND -> shard.toBehind(watcher);
            case FULL -> shard.toVictim(watcher);
            case LONG -> shard.toLong(watcher);
        }
    }

    /**
     * Writes what was found for one watcher.
     *
     * @param header revision to tell, 0 for that of the last event
     */
    Delivery deliver(Watcher watcher, Matches matches, long header) {
        try {
            return write(watcher, matches, header);
        } catch (RuntimeException e) {
            fail(e);
            return Delivery.ALL;
        }
    }

    void addVictim(Watcher watcher) {
        victims.add(watcher);
    }

    /** Hands some victims over to catch-up; returns whether there are more and the sink would take them. */
    boolean resumeVictims(int limit) {
        for (int count = 0; count < limit; count++) {
            if (closed || victims.isEmpty() || !sink.isWritable()) {
                resuming = false;
                return false;
            }
            Watcher watcher = Objects.requireNonNull(victims.poll());
            if (watcher.state() == WatcherState.VICTIM) {
                shard.toUnsynced(watcher);
            }
        }
        resuming = !victims.isEmpty();
        return resuming;
    }

    /** The history that the watcher needs is compacted: it gets the one response that says so. */
    void cancelCompacted(Watcher watcher, long compacted) {
        remove(watcher);
        canceledIds.add(watcher.id);
        guarded(() -> sink.compacted(watcher.id, compacted));
        markDirty();
    }

    /** Progress for watchers that asked for it and got nothing for a whole period. */
    void progressTick(long nowNanos) {
        if (nowNanos - nextProgressNanos < 0) {
            return;
        }
        nextProgressNanos = nowNanos + progressPeriodNanos;
        progressTo(Watcher::tick);
    }

    /** Progress for watchers whose client would resume below a revision that is being compacted. */
    int progressBefore(long compacted) {
        progressTo(watcher -> watcher.nextRevision() < compacted);
        return watchers.size();
    }

    /** Sends on what was written since the last time. */
    void flush() {
        if (dirty) {
            dirty = false;
            guarded(sink::flush);
        }
    }

    // -- inside

    /** Before anything else is said, what this turn has for the stream is written; returns whether it is still open. */
    private boolean begin() {
        if (!closed) {
            shard.settle(this);
        }
        return !closed;
    }

    private @Nullable String refusal(WatchCreate request, @Nullable KeyRange range) {
        if (request.startRevision() < 0) {
            return COMPACTED;
        }
        if (range == null) {
            return EMPTY_RANGE;
        }
        if (request.watchId() == NO_WATCHER) {
            return RESERVED_ID;
        }
        if (request.watchId() != 0 && watchers.get(request.watchId()) != null) {
            return DUPLICATE_ID;
        }
        if (watchers.size() >= shard.limits().stream().watchersPerStream()) {
            return STREAM_FULL;
        }
        return quota.isFull() ? CONNECTION_FULL : null;
    }

    private void register(Watcher watcher) {
        watchers.add(watcher);
        quota.take();
        progressWatchers += watcher.has(Watcher.PROGRESS) ? 1 : 0;
        shard.register(watcher);
    }

    private void remove(Watcher watcher) {
        watchers.remove(watcher);
        quota.release();
        progressWatchers -= watcher.has(Watcher.PROGRESS) ? 1 : 0;
        shard.close(watcher);
    }

    private Delivery write(Watcher watcher, Matches matches, long header) {
        int options = watcher.options();
        int index = matches.firstWanted(matches.firstAtOrAbove(watcher.nextRevision()), options);
        while (index < matches.size()) {
            if (!sink.isWritable()) {
                watcher.moveTo(matches.revision(index));
                return Delivery.FULL;
            }
            EventBatch batch = matches.batch(index, options, watcher.bareRevision(), shard.batchSource());
            if (batch == null) {
                watcher.moveTo(matches.revision(index));
                return Delivery.LONG;
            }
            send(watcher, batch, header == 0 ? batch.lastRevision() : header);
            watcher.moveTo(batch.lastRevision() + 1);
            index = matches.firstWanted(matches.firstAtOrAbove(watcher.nextRevision()), options);
        }
        long cut = matches.cutRevision();
        if (cut == 0) {
            return Delivery.ALL;
        }
        boolean isLong = matches.isLong() && watcher.nextRevision() <= cut;
        watcher.moveTo(cut);
        return isLong ? Delivery.LONG : Delivery.BEHIND;
    }

    /** Whether the sink takes the next part of a long response; if not, it will say when it does. */
    boolean takes(LongResponse response) {
        return (response.hasBegun() || sink.isWritable()) && sink.takesPart();
    }

    /** Writes a part of a long response; returns false if the sink does not take it now, or broke. */
    boolean write(LongResponse response) {
        if (!takes(response)) {
            return false;
        }
        guarded(() -> writePart(response));
        return !closed;
    }

    private void writePart(LongResponse response) {
        Watcher watcher = response.watcher();
        if (!response.hasBegun()) {
            long header = shard.source().publishedRevision();
            boolean fragment = watcher.has(Watcher.FRAGMENT);
            sink.beginLong(watcher.id, header, fragment, response.eventBytes());
        }
        EventBatch part = response.takePart();
        sink.part(part, response.isDone());
        watcher.gotEvents();
        shard.observer().eventsSent(part.size());
        markDirty();
    }

    private void send(Watcher watcher, EventBatch batch, long header) {
        if (watcher.has(Watcher.FRAGMENT)) {
            long base = ResponseSize.base(sink.headerBytes(header), watcher.id);
            List<EventBatch> parts =
                    Fragments.split(batch, base, shard.limits().stream().fragmentBytes());
            for (int i = 0; i < parts.size(); i++) {
                sink.events(watcher.id, header, parts.get(i), i < parts.size() - 1);
            }
        } else {
            sink.events(watcher.id, header, batch, false);
        }
        watcher.gotEvents();
        shard.observer().eventsSent(batch.size());
        markDirty();
    }

    private void progressTo(Predicate<Watcher> wanted) {
        if (progressWatchers > 0 && begin()) {
            guarded(() -> watchers.forEach(watcher -> {
                if (watcher.has(Watcher.PROGRESS) && wanted.test(watcher)) {
                    progress(watcher);
                }
            }));
        }
    }

    private void progress(Watcher watcher) {
        long cursor = shard.cursor();
        if (watcher.reached(cursor) && sink.isWritable()) {
            sink.progress(watcher.id, cursor);
            watcher.moveTo(cursor + 1);
            markDirty();
        }
    }

    /** A sink that throws costs its own stream, and nobody else's. */
    private void guarded(Runnable work) {
        if (closed) {
            return;
        }
        try {
            work.run();
        } catch (RuntimeException e) {
            fail(e);
        }
    }

    private void markDirty() {
        if (!dirty) {
            dirty = true;
            shard.toFlush(this);
        }
    }

    private long automaticId() {
        while (watchers.get(nextId) != null || canceledIds.contains(nextId)) {
            nextId++;
        }
        return nextId++;
    }
}

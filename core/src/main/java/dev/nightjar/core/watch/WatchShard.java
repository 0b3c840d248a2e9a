/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.watch;

import dev.nightjar.core.mvcc.ChangeSource;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The watch streams of one event loop; owned by that loop, on which all methods are to be called but those that say
 * otherwise.
 *
 * <p>The shard has a cursor: everything up to it has been handed to its synced watchers. Turns, at most one of them
 * queued on the loop, move the cursor towards the published revision ({@link LiveTurn}), catch up the watchers that lag
 * behind ({@link CatchUp}) and send progress ({@link Progress}); each does a bounded piece and the turn queues itself
 * again if something is left, so that the connections of the loop get their turn as well.
 *
 * <pre>
 *            created, start above cursor        stream takes no more bytes
 *          ───────────────────────────► SYNCED ───────────────────────────► VICTIM
 *                                         ▲                                  ▲  │ stream takes bytes
 *                          all history    │          stream takes no more    │  │
 *          ───────────────► UNSYNCED ─────┘   UNSYNCED ──────────────────────┘  └──► UNSYNCED
 *            created, start at or below
 * </pre>
 *
 * <p>Responses. A watcher gets one response for each turn, with all its events of the turn in whole revisions and the
 * revision of the last of them in the header. While turns hold one revision this is exactly what etcd sends; when
 * writers are faster, fewer and larger responses go out, as a client gets them from catch-up anyway, and what a client
 * sees in a header does not depend on where a turn ended. A caught-up response carries the published revision.
 */
public final class WatchShard {
    private final WatchEnvironment environment;
    private final ChangeSource source;
    private final EventHistory history;
    private final WatchLimits limits;
    private final WatchObserver observer;
    private final Matches.Source batchSource;
    private final Runnable turn = this::turn;
    private final RangeIndex<Watcher> synced = new RangeIndex<>();
    private final List<WatchStream> streams = new ArrayList<>();
    private final List<WatchStream> toFlush = new ArrayList<>();
    private final LiveTurn live;
    private final CatchUp catchUp;
    private final LongResponses longResponses;
    private final Progress progress;
    private int watchers;
    private boolean closed;
    private boolean alarmSet;

    /** A turn is queued on the loop. */
    private final AtomicBoolean scheduled = new AtomicBoolean();

    /** Greatest compaction of which the interested watchers are to be told. */
    private final AtomicLong compacting = new AtomicLong(-1);

    /** Whether there are watchers; the apply thread does not wake a shard without. */
    private volatile boolean active;

    WatchShard(
            WatchEnvironment environment,
            ChangeSource source,
            EventHistory history,
            WatchLimits limits,
            WatchObserver observer) {
        this.environment = environment;
        this.source = source;
        this.history = history;
        this.limits = limits;
        this.observer = observer;
        batchSource = new Matches.Source(
                source, limits.stream().responseBytes(), limits.revision().responseBytes());
        live = new LiveTurn(this, synced);
        catchUp = new CatchUp(this);
        longResponses = new LongResponses(this);
        progress = new Progress(this, environment);
    }

    /**
     * Opens a stream.
     *
     * @param sink takes the responses
     * @param quota of the connection
     */
    public WatchStream openStream(WatchSink sink, WatcherQuota quota) {
        if (closed) {
            throw new IllegalStateException("shard is closed");
        }
        WatchStream stream = new WatchStream(this, sink, quota, progress.periodNanos());
        stream.position = streams.size();
        streams.add(stream);
        observer.streamOpened();
        progress.arm();
        return stream;
    }

    /** Stops for good without a word to any stream. */
    public void close() {
        closed = true;
        List.copyOf(streams).forEach(WatchStream::close);
    }

    // -- called by the apply thread

    /** Has the shard look at what was published, if anybody watches. */
    void wake() {
        // The revision was published before; together with the fence in activate() one of both sides sees the other.
        VarHandle.fullFence();
        if (active) {
            schedule();
        }
    }

    /** A compaction is about to take effect. */
    void compacting(long revision) {
        compacting.accumulateAndGet(revision, Math::max);
        wake();
    }

    // -- turns

    void schedule() {
        if (scheduled.compareAndSet(false, true)) {
            environment.loop().execute(turn);
        }
    }

    /** Schedules a turn after a time; asked again before that, it has it come no sooner. */
    void scheduleAfter(long nanos) {
        if (!alarmSet) {
            alarmSet = true;
            environment
                    .timer()
                    .schedule(
                            () -> {
                                alarmSet = false;
                                schedule();
                            },
                            nanos);
        }
    }

    private void turn() {
        scheduled.set(false);
        if (closed) {
            return;
        }
        boolean more = live.step();
        more |= catchUp.step();
        more |= longResponses.step();
        more |= progress.step(compacting.get());
        endTask();
        if (more) {
            schedule();
        }
    }

    /** Moves the cursor a bounded piece towards the published revision, for a caller that wants to tell where it is. */
    void advance() {
        live.hurry();
        if (live.step()) {
            schedule();
        }
        endTask();
    }

    /** Has a history reader do something, and the loop go on with the result. */
    void read(Runnable work, Runnable then) {
        environment.historyReader().execute(() -> {
            work.run();
            environment.loop().execute(() -> {
                if (!closed) {
                    then.run();
                    endTask();
                    schedule();
                }
            });
        });
    }

    void toFlush(WatchStream stream) {
        toFlush.add(stream);
    }

    /** Sends on what was written. */
    void endTask() {
        toFlush.forEach(WatchStream::flush);
        toFlush.clear();
    }

    // -- watchers

    /** From now on the apply thread wakes the shard. */
    void activate() {
        if (!active) {
            active = true;
            VarHandle.fullFence();
            live.leap(source.publishedRevision());
        }
    }

    void deactivateIfIdle() {
        if (watchers == 0) {
            active = false;
        }
    }

    void register(Watcher watcher) {
        watchers++;
        if (watcher.nextRevision() > live.joinRevision()) {
            toSynced(watcher);
        } else {
            toUnsynced(watcher);
        }
        schedule();
    }

    void toSynced(Watcher watcher) {
        synced.add(watcher);
        move(watcher, WatcherState.SYNCED);
    }

    void toUnsynced(Watcher watcher) {
        move(watcher, WatcherState.UNSYNCED);
        catchUp.add(watcher);
    }

    /** A synced watcher has to look again from its next revision on. */
    void toBehind(Watcher watcher) {
        leave(watcher);
        toUnsynced(watcher);
    }

    /** The next revision of a watcher is too long to be handed over as a whole. */
    void toLong(Watcher watcher) {
        leave(watcher);
        move(watcher, WatcherState.UNSYNCED);
        longResponses.add(watcher);
    }

    /** An unsynced watcher has got beyond a long revision. */
    void caughtUp(Watcher watcher) {
        catchUp.goOn(watcher);
    }

    void toVictim(Watcher watcher) {
        leave(watcher);
        move(watcher, WatcherState.VICTIM);
        watcher.stream.addVictim(watcher);
    }

    void close(Watcher watcher) {
        leave(watcher);
        move(watcher, WatcherState.CLOSED);
        watchers--;
        deactivateIfIdle();
    }

    /** Whether a waiting watcher is to take part in a scan; if not, it has been put where it belongs. */
    boolean isCatchable(Watcher watcher) {
        if (watcher.state() != WatcherState.UNSYNCED) {
            return false;
        }
        if (!watcher.stream.isWritable()) {
            toVictim(watcher);
            return false;
        }
        long next = watcher.nextRevision();
        if (next > live.joinRevision()) {
            toSynced(watcher);
            return false;
        }
        long compacted = source.compactedRevision();
        if (next < compacted && next < history.oldestRevision()) {
            watcher.stream.cancelCompacted(watcher, compacted);
            return false;
        }
        return true;
    }

    /** The cursor itself was overtaken by compaction: every synced watcher may have missed something. */
    void cancelOvertaken(long compacted) {
        for (Watcher watcher : collect(WatcherState.SYNCED)) {
            watcher.moveTo(live.cursor() + 1);
            if (watcher.nextRevision() < compacted) {
                watcher.stream.cancelCompacted(watcher, compacted);
            }
        }
    }

    void failSynced(Throwable cause) {
        collect(WatcherState.SYNCED).forEach(watcher -> watcher.stream.fail(cause));
    }

    private List<Watcher> collect(WatcherState state) {
        List<Watcher> found = new ArrayList<>();
        streams.forEach(stream -> stream.watchers().forEach(watcher -> {
            if (watcher.state() == state) {
                found.add(watcher);
            }
        }));
        return found;
    }

    private void leave(Watcher watcher) {
        if (watcher.state() == WatcherState.SYNCED) {
            synced.remove(watcher);
        }
    }

    private void move(Watcher watcher, WatcherState state) {
        observer.watcherMoved(watcher.state(), state);
        watcher.state(state);
    }

    // -- what its parts share

    void settle(WatchStream stream) {
        live.settle(stream);
    }

    void resume(WatchStream stream) {
        catchUp.resume(stream);
        schedule();
    }

    /** Takes a closed stream off the list, whose order does not matter. */
    void removed(WatchStream stream) {
        WatchStream last = streams.removeLast();
        if (last != stream) {
            streams.set(stream.position, last);
            last.position = stream.position;
        }
        observer.streamClosed();
    }

    LongResponses longResponses() {
        return longResponses;
    }

    List<WatchStream> streams() {
        return streams;
    }

    long cursor() {
        return live.cursor();
    }

    long joinRevision() {
        return live.joinRevision();
    }

    ChangeSource source() {
        return source;
    }

    EventHistory history() {
        return history;
    }

    WatchLimits limits() {
        return limits;
    }

    WatchObserver observer() {
        return observer;
    }

    Matches.Source batchSource() {
        return batchSource;
    }

    long nanoTime() {
        return environment.nanoClock().getAsLong();
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.watch;

import java.util.ArrayDeque;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Catches up the unsynced watchers of one shard; owned by its loop.
 *
 * <p>Watchers wait in order of the revision they need next. One pass at a time reads a bounded piece of history for all
 * waiting watchers that need something of it; a watcher that it brings beyond the cursor is synced, the others wait
 * again, and what they have read is not read again for them. A pass over the latest few revisions runs on the loop, as
 * otherwise a busy store would always be a step ahead; all others run on a history reader.
 *
 * <p>Two kinds of pass take turns, so that nobody waits for ever. The <em>sweep</em> moves from old to new and starts
 * again at the oldest when nobody is left above it: each watcher it meets rides along. The <em>near</em> pass serves
 * those with the least left to read:
 *
 * <pre>
 *   waiting at 2, 2, 900, 49000, 50000; a pass reads 10000 revisions
 *   sweep   from 2       brings 2, 2 and 900 to 10002
 *   near    from 49000   brings 49000 and 50000 to the end
 *   sweep   from 10002   ...
 * </pre>
 */
final class CatchUp {
    /** Victims of one stream taken up at a time: about what its queue takes before it is full again. */
    static final int RESUMED_VICTIMS = 1000;

    private final WatchShard shard;
    private final WatchLimits.CatchUp limits;
    private final TreeMap<Long, WatcherQueue> waiting = new TreeMap<>();
    private final ArrayDeque<WatchStream> resuming = new ArrayDeque<>();
    private long sweep;
    private boolean sweeping;
    private @Nullable CatchUpPass running;
    private @Nullable CatchUpPass arrived;
    private int delivered;

    CatchUp(WatchShard shard) {
        this.shard = shard;
        limits = shard.limits().catchUp();
    }

    /** Takes up an unsynced watcher. */
    void add(Watcher watcher) {
        waiting.computeIfAbsent(watcher.nextRevision(), revision -> new WatcherQueue())
                .add(watcher);
    }

    /** The victims of a stream that takes bytes again are to go on. */
    void resume(WatchStream stream) {
        resuming.add(stream);
    }

    /**
     * Does one bounded piece of work.
     *
     * @return whether there is more to do now
     */
    boolean step() {
        if (arrived == null && running == null) {
            resumeVictims();
            CatchUpPass pass = choose();
            if (pass != null) {
                start(pass);
            }
        }
        if (arrived != null) {
            deliver(arrived);
        }
        return arrived != null || (running == null && !(waiting.isEmpty() && resuming.isEmpty()));
    }

    private void resumeVictims() {
        for (int streams = resuming.size(); streams > 0; streams--) {
            WatchStream stream = resuming.remove();
            if (stream.resumeVictims(RESUMED_VICTIMS)) {
                resuming.add(stream);
            }
        }
    }

    private @Nullable CatchUpPass choose() {
        sweeping = !sweeping;
        Map.Entry<Long, WatcherQueue> entry = sweeping ? waiting.ceilingEntry(sweep) : nearest();
        if (entry == null) {
            entry = waiting.firstEntry();
        }
        CatchUpPass pass = null;
        int looked = 0;
        while (entry != null && looked < limits.watchers()) {
            if (pass != null && entry.getKey() >= pass.from() + limits.changes()) {
                break;
            }
            Watcher watcher = entry.getValue().poll();
            if (watcher == null) {
                waiting.remove(entry.getKey());
                entry = waiting.higherEntry(entry.getKey());
                continue;
            }
            looked++;
            if (shard.isCatchable(watcher)) {
                if (pass == null) {
                    pass = newPass(watcher.nextRevision());
                }
                pass.add(watcher);
            }
        }
        if (entry != null && entry.getValue().isEmpty()) {
            waiting.remove(entry.getKey());
        }
        return pass;
    }

    private Map.@Nullable Entry<Long, WatcherQueue> nearest() {
        return waiting.isEmpty() ? null : waiting.ceilingEntry(waiting.lastKey() - limits.changes() + 1);
    }

    private CatchUpPass newPass(long from) {
        int changes = isRecent(from) ? shard.limits().turn().changes() : limits.changes();
        return new CatchUpPass(from, changes, limits.bytes(), shard.limits().revision(), shard.source());
    }

    private boolean isRecent(long from) {
        return from >= shard.history().oldestRevision()
                && shard.source().publishedRevision() - from < limits.inlineRevisions();
    }

    private void start(CatchUpPass pass) {
        if (isRecent(pass.from())) {
            pass.run(shard.history());
            arrive(pass);
        } else {
            running = pass;
            shard.read(() -> pass.run(shard.history()), () -> arrive(pass));
        }
    }

    private void arrive(CatchUpPass pass) {
        running = null;
        arrived = pass;
        delivered = 0;
        if (sweeping) {
            sweep = pass.end();
        }
        shard.observer().scanned(pass.changes(), pass.matchedBytes());
    }

    private void deliver(CatchUpPass pass) {
        long header = shard.source().publishedRevision();
        int budget = shard.limits().turn().responses();
        while (delivered < pass.members().size() && budget-- > 0) {
            CatchUpPass.Member member = pass.members().get(delivered++);
            if (member.watcher.state() == WatcherState.UNSYNCED) {
                deliver(pass, member, header);
            }
        }
        if (delivered == pass.members().size()) {
            arrived = null;
        }
    }

    private void deliver(CatchUpPass pass, CatchUpPass.Member member, long header) {
        Watcher watcher = member.watcher;
        Throwable failure = pass.failure();
        if (failure != null) {
            watcher.stream.fail(failure);
            return;
        }
        Matches matches = member.set.matches;
        Delivery delivery = matches == null ? Delivery.ALL : watcher.stream.deliver(watcher, matches, header);
        if (watcher.state() == WatcherState.CLOSED) {
            return;
        }
        switch (delivery) {
            case ALL -> {
                watcher.moveTo(pass.end());
                goOn(watcher);
            }
            case BEHIND -> add(watcher);
            case FULL -> shard.toVictim(watcher);
            case LONG -> shard.toLong(watcher);
        }
    }

    /** Takes an unsynced watcher up again, or lets it be synced if it has all. */
    void goOn(Watcher watcher) {
        if (watcher.nextRevision() > shard.joinRevision()) {
            shard.toSynced(watcher);
        } else {
            add(watcher);
        }
    }
}

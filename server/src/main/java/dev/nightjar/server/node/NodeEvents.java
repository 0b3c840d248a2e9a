/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.node;

import dev.nightjar.consensus.ConsensusStatus;
import dev.nightjar.core.mvcc.MvccStore;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What happens to a member besides its entries: leaders come and go, snapshots and compactions fall due, it fails. The
 * apply thread reports, any thread asks.
 */
final class NodeEvents implements NodeStateMachine.Listener {
    private static final Logger LOG = LoggerFactory.getLogger(NodeEvents.class);

    private final MvccStore store;
    private final StoreMaintenance maintenance;
    private final CompletableFuture<Void> led = new CompletableFuture<>();
    private final CompletableFuture<Throwable> stopped;
    private long compactedRevision;
    private volatile long leaderChanges;
    private volatile ConsensusStatus leadership = new ConsensusStatus(0, null, false, false, 0, 0, 0);
    private volatile @Nullable SnapshotTrigger snapshots;
    private final Queue<CompletableFuture<Void>> sealing = new ConcurrentLinkedQueue<>();

    /** @param stopped is completed with the reason when the member cannot go on */
    NodeEvents(MvccStore store, StoreMaintenance maintenance, CompletableFuture<Throwable> stopped) {
        this.store = store;
        this.maintenance = maintenance;
        this.stopped = stopped;
        this.compactedRevision = store.compactedRevision();
    }

    /** From now on snapshots are taken. */
    void takeSnapshots(SnapshotTrigger trigger) {
        snapshots = trigger;
    }

    /**
     * The store's files are to end at the next entry, so that all of what they hold can be packed. Any thread; whoever
     * asks has an entry on its way, which also bounds how many ask.
     *
     * @return completes, on the apply thread, when they do
     */
    CompletableFuture<Void> sealAtNextEntry() {
        CompletableFuture<Void> sealed = new CompletableFuture<>();
        sealing.add(sealed);
        return sealed;
    }

    @Override
    public void applied(long index, long bytes) {
        sealIfAsked();
        SnapshotTrigger trigger = snapshots;
        if (trigger != null) {
            trigger.applied(index, bytes);
        }
        if (store.compactedRevision() != compactedRevision) {
            compactedRevision = store.compactedRevision();
            maintenance.compactionAsked();
        }
    }

    private void sealIfAsked() {
        CompletableFuture<Void> first = sealing.poll();
        if (first != null) {
            store.cut();
            for (CompletableFuture<Void> sealed = first; sealed != null; sealed = sealing.poll()) {
                sealed.complete(null);
            }
        }
    }

    @Override
    public void leaderChanged(ConsensusStatus status) {
        if (status.leader() != null && !status.leader().equals(leadership.leader())) {
            // One writer; in between there may have been none, and then the same one counts again.
            long before = leaderChanges;
            leaderChanges = before + 1;
        }
        leadership = status;
        if (status.leader() != null) {
            led.complete(null);
        }
    }

    @Override
    public void failed(Throwable cause) {
        if (stopped.complete(cause)) {
            LOG.atError().setCause(cause).log("the member cannot go on");
        }
    }

    /** The newest change of leader or term. */
    ConsensusStatus leadership() {
        return leadership;
    }

    /** How often a leader has appeared, the first one included. */
    long leaderChanges() {
        return leaderChanges;
    }

    /** Completes when a leader is known. */
    CompletableFuture<Void> led() {
        return led;
    }

    /** Completes when the member cannot go on. */
    CompletableFuture<Throwable> stopped() {
        return stopped;
    }
}

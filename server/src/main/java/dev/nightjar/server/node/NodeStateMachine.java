/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.node;

import dev.nightjar.consensus.ConsensusStatus;
import dev.nightjar.consensus.ProposalFailure;
import dev.nightjar.consensus.StateMachine;
import dev.nightjar.core.apply.Applier;
import dev.nightjar.core.apply.Result;
import dev.nightjar.core.mvcc.MvccStore;
import dev.nightjar.core.storage.FileSystem;
import dev.nightjar.core.storage.SegmentLog;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/**
 * What the log drives: feeds entries to the {@link Applier}, commits them in frames of bounded size and sends the results
 * back to the loops. Owned by the apply thread.
 *
 * <p>Next on a write's way: {@link Applier}.
 */
final class NodeStateMachine implements StateMachine {
    /** From how many bytes on a frame of the store is written: enough to share its costs, small enough not to wait for. */
    private static final long FRAME_BYTES = 1 << 20;

    /** Hears of what the log reports besides entries; on the apply thread. */
    interface Listener {
        /** Entries up to {@code index} are applied, the last ones of so many bytes in one go. */
        void applied(long index, long bytes);

        void leaderChanged(ConsensusStatus status);

        /** The member cannot go on. */
        void failed(Throwable cause);
    }

    private final MvccStore store;
    private final Applier applier;
    private final Listener listener;
    private final Completions completions;
    private final Executor maintenance;
    private final List<ProposalBatch> ended = new ArrayList<>();
    private long entryBytes;

    /** @param maintenance makes the copies for snapshots, so that writes do not wait for them */
    NodeStateMachine(MvccStore store, Applier applier, Listener listener, Executor maintenance) {
        this.store = store;
        this.applier = applier;
        this.listener = listener;
        this.maintenance = maintenance;
        this.completions = new Completions(applier.answers());
    }

    @Override
    public void apply(Entries entries) {
        try {
            applyAll(entries);
        } catch (RuntimeException | Error e) {
            // The member stops here. Nobody else knows these proposals any more; what became of them is open.
            ended.forEach(batch -> batch.failed(ProposalFailure.STOPPED));
            ended.clear();
            throw e;
        }
    }

    private void applyAll(Entries entries) {
        long index = 0;
        long term = 0;
        while (entries.next()) {
            entryBytes += entries.command().remaining();
            ProposalBatch batch = (ProposalBatch) entries.proposal();
            if (batch != null) {
                ended.add(batch);
            }
            if (entries.index() <= store.appliedIndex()) {
                if (batch != null) {
                    throw new IllegalStateException("entry " + entries.index()
                            + " is new, though the store is at entry " + store.appliedIndex() + " already");
                }
                // The store is ahead of the log's replay: this entry is in it already.
                continue;
            }
            index = entries.index();
            term = entries.term();
            if (batch == null) {
                applier.apply(entries.command());
            } else {
                applier.apply(entries.command(), collector(batch));
            }
            if (store.uncommittedBytes() >= FRAME_BYTES) {
                commit(index, term);
                index = 0;
            }
        }
        if (index != 0) {
            commit(index, term);
        }
    }

    private Consumer<Result> collector(ProposalBatch batch) {
        Iterator<PendingWrite> writes = batch.writes().iterator();
        return result -> completions.add(writes.next(), result);
    }

    private void commit(long index, long term) {
        applier.commit(index, term);
        completions.dispatch();
        applier.wakeWatches();
        ended.forEach(ProposalBatch::applied);
        ended.clear();
        listener.applied(index, entryBytes);
        entryBytes = 0;
    }

    @Override
    public CompletableFuture<Void> saveSnapshot(Path directory) throws IOException {
        store.cut();
        return CompletableFuture.runAsync(
                () -> {
                    try {
                        store.checkpoint(directory);
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                },
                maintenance);
    }

    @Override
    public void loadSnapshot(Path directory, long lastIncludedIndex) throws IOException {
        // Not the engine's index: what lies between the two are entries of its own, which the store never sees.
        long snapshotEnd = SegmentLog.appliedIndexOf(FileSystem.real(), directory);
        if (snapshotEnd > store.appliedIndex()) {
            throw new IOException("the store ends at log index " + store.appliedIndex() + ", but the snapshot in "
                    + directory + " at " + snapshotEnd + ": files of the store are missing");
        }
    }

    @Override
    public void leaderChanged(ConsensusStatus status) {
        listener.leaderChanged(status);
    }

    @Override
    public void failed(Throwable cause) {
        listener.failed(cause);
    }
}

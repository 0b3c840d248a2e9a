/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.node;

import dev.nightjar.api.etcdserverpb.AlarmRequest;
import dev.nightjar.consensus.Consensus;
import dev.nightjar.core.apply.CommandType;
import dev.nightjar.core.apply.Result;
import dev.nightjar.core.mvcc.MvccStore;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives back all disk space that a member can do without, while it serves on. One for each request; begun on any thread.
 *
 * <pre>
 *   an entry of the log      behind it the apply thread lets the newest file end: only then can it be packed
 *   packing                  the maintenance thread rewrites what holds dead records, also for little gain
 *   a snapshot               the one before still holds the files as they were
 * </pre>
 */
@SuppressWarnings("FutureReturnValueIgnored") // the callbacks are the whole reaction
final class Defragmentation {
    private static final Logger LOG = LoggerFactory.getLogger(Defragmentation.class);

    private final MvccStore store;
    private final DiskReserve reserve;
    private final Path directory;
    private final NodeEvents events;
    private final StoreMaintenance maintenance;
    private final Consensus consensus;
    private final long startNanos = System.nanoTime();
    private final long startBytes;
    private final long startBytesInUse;

    Defragmentation(NodeFiles files, NodeEvents events, StoreMaintenance maintenance, Consensus consensus) {
        this.store = files.store();
        this.reserve = files.reserve();
        this.directory = files.storeDirectory();
        this.events = events;
        this.maintenance = maintenance;
        this.consensus = consensus;
        this.startBytes = store.sizeBytes();
        this.startBytesInUse = store.sizeInUseBytes();
    }

    /**
     * Begins.
     *
     * @param ticker where the entry is submitted from
     * @param submit puts it into the log
     * @param done is called on a thread of the node: with null, or with what went wrong
     */
    void begin(Executor ticker, Consumer<PendingWrite> submit, Consumer<@Nullable Exception> done) {
        LOG.atInfo()
                .addKeyValue("path", directory)
                .addKeyValue("current-db-size-bytes", startBytes)
                .addKeyValue("current-db-size-in-use-bytes", startBytesInUse)
                .log("defragmenting");
        CompletableFuture<Void> sealed = events.sealAtNextEntry();
        byte[] lookAtAlarms = AlarmRequest.getDefaultInstance().toByteArray();
        PendingWrite entry = PendingWrite.of(CommandType.ALARM, lookAtAlarms, ticker, result -> {
            if (result instanceof Result.Failed) {
                // Without an entry the newest file stays as it is; the others can still be packed.
                pack(done);
            } else {
                // The answer may be faster than what comes after the entry.
                sealed.thenRun(() -> pack(done));
            }
        });
        try {
            ticker.execute(() -> submit.accept(entry));
        } catch (RejectedExecutionException e) {
            done.accept(e);
        }
    }

    private void pack(Consumer<@Nullable Exception> done) {
        maintenance.packAll(problem -> snapshot().whenComplete((index, failure) -> {
            if (reserve.isTouched()) {
                DiskReserve.unmapRemovedFiles();
            }
            if (failure != null) {
                LOG.atWarn()
                        .addKeyValue("error", failure.toString())
                        .log("failed to take a snapshot after defragmenting; the consensus log keeps its entries");
            }
            if (problem == null) {
                tellEnd();
            }
            done.accept(problem);
        }));
    }

    /**
     * It needs some room itself before it gives back what the one before has; a second one lets go of the entries of the log
     * that the first has made needless.
     */
    private CompletableFuture<Long> snapshot() {
        return consensus
                .snapshot()
                .exceptionallyCompose(
                        failure -> reserve.lend() ? consensus.snapshot() : CompletableFuture.failedFuture(failure))
                .thenCompose(
                        index -> reserve.isTouched() ? consensus.snapshot() : CompletableFuture.completedFuture(index));
    }

    private void tellEnd() {
        long bytes = store.sizeBytes();
        long inUse = store.sizeInUseBytes();
        LOG.atInfo()
                .addKeyValue("path", directory)
                .addKeyValue("current-db-size-bytes-diff", bytes - startBytes)
                .addKeyValue("current-db-size-bytes", bytes)
                .addKeyValue("current-db-size-in-use-bytes-diff", inUse - startBytesInUse)
                .addKeyValue("current-db-size-in-use-bytes", inUse)
                .addKeyValue("took", Duration.ofNanos(System.nanoTime() - startNanos))
                .log("finished defragmenting directory");
    }
}

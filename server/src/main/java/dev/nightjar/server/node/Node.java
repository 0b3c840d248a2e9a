/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.node;

import dev.nightjar.api.etcdserverpb.CompactionRequest;
import dev.nightjar.consensus.Consensus;
import dev.nightjar.consensus.ConsensusConfig;
import dev.nightjar.consensus.ConsensusEngine;
import dev.nightjar.consensus.ConsensusStatus;
import dev.nightjar.consensus.Transport;
import dev.nightjar.core.apply.AnswerBudget;
import dev.nightjar.core.apply.ApiError;
import dev.nightjar.core.apply.Applier;
import dev.nightjar.core.apply.CommandType;
import dev.nightjar.core.apply.OperationCounts;
import dev.nightjar.core.apply.Result;
import dev.nightjar.core.cluster.AlarmRegistry;
import dev.nightjar.core.cluster.MemberRegistry;
import dev.nightjar.core.mvcc.MvccStore;
import dev.nightjar.core.watch.WatchEnvironment;
import dev.nightjar.core.watch.WatchShard;
import dev.nightjar.core.watch.WatchableStore;
import io.netty.channel.EventLoop;
import java.io.IOException;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One member: its files, its log, its state and the threads between them. Any thread may call it, unless a method says
 * otherwise.
 *
 * <p>Writes go {@link #submit} → {@link ProposalBatcher} → {@link Consensus} → {@link NodeStateMachine}; linearizable
 * reads wait with {@link #afterReadBarrier}; everything else reads published state.
 */
public final class Node implements AutoCloseable {
    private static final long EXPIRY_CHECK_MILLIS = 500;

    private final NodeSettings settings;
    private final NodeFiles files;
    private final NodeThreads threads;
    private final MaintenanceObserver observer;
    private final WatchableStore watches;
    private final MemberRegistry members;
    private final AlarmRegistry alarms;
    private final NodeEvents events;
    private final StoreMaintenance maintenance;
    private final Consensus consensus;
    private final ProposalBatcher batcher;
    private final ReadBarrier readBarrier;
    private final OperationCounts counts;
    private final AnswerBudget answers;
    private final StoreQuota quota;
    private final IdentityHashMap<EventLoop, WatchShard> shards = new IdentityHashMap<>();
    private volatile boolean closing;

    private Node(NodeSettings settings, NodeFiles files, NodeThreads threads, NodeObservers observers)
            throws UnusableFilesException {
        this.settings = settings;
        this.files = files;
        this.threads = threads;
        this.observer = observers.maintenance();
        MvccStore store = files.store();
        this.watches = new WatchableStore(store, settings.watchLimits(), observers.watch());
        this.members = new MemberRegistry(store);
        this.alarms = new AlarmRegistry(store);
        CompletableFuture<Throwable> stopped = new CompletableFuture<>();
        this.maintenance = new StoreMaintenance(
                store,
                threads.maintenance(),
                settings.compaction().pace(),
                stopped::complete,
                files.reserve()::lend,
                System::nanoTime);
        this.events = new NodeEvents(store, maintenance, stopped);
        this.answers = AnswerBudget.ofHeap(Runtime.getRuntime().maxMemory());
        Applier applier = new Applier(store, watches, members, alarms, answers);
        this.counts = applier.counts();
        files.requireOwnStore(members.all());
        try {
            files.requireLogUpToStore();
            this.consensus = ConsensusEngine.start(
                    files.log(), new NodeStateMachine(store, applier, events, threads.maintenance()), Transport.none());
        } catch (IOException e) {
            throw new UnusableFilesException("cannot open the log: " + e.getMessage(), e);
        }
        this.batcher = new ProposalBatcher(consensus, System::nanoTime, files.reserve()::refuses);
        this.readBarrier = new ReadBarrier(consensus, settings.requestTimeout());
        this.quota = new StoreQuota(
                settings.quotaBytes(),
                files.reserve()::isTouched,
                store::sizeBytes,
                alarms,
                files.identity().memberId(),
                batcher::submit,
                threads.ticker());
    }

    /** What may fail once the log runs, so that {@link #close} can undo it. */
    private void begin(List<EventLoop> loops) {
        long snapshotIndex = consensus.status().snapshotIndex();
        events.takeSnapshots(new SnapshotTrigger(settings.snapshotCount(), snapshotIndex, consensus::snapshot));
        closeWhen(events.stopped(), batcher);
        maintenance.start();
        new FullDisk(files.reserve(), maintenance::isPacking, store()::sizeBytes, consensus::snapshot)
                .start(threads.maintenance());
        new SnapshotRenewal(maintenance::isPacking, store()::sizeBytes, consensus::snapshot)
                .start(threads.maintenance());
        long timeoutNanos = settings.requestTimeout().toNanos();
        threads.every(EXPIRY_CHECK_MILLIS, () -> batcher.expire(timeoutNanos));
        loops.forEach(this::openShard);
        AutoCompaction automatic = AutoCompaction.of(
                settings.compaction().automatic(),
                new AutoCompaction.Surroundings(
                        threads.ticker(),
                        System::nanoTime,
                        store()::publishedRevision,
                        () -> events.leadership().leading(),
                        this::compact));
        if (automatic != null) {
            automatic.start();
        }
    }

    /**
     * Opens the files and starts to take part in the log.
     *
     * @param loops get a watch shard each
     * @throws UnusableFilesException if the files cannot be used; nothing runs then
     */
    public static Node start(NodeSettings settings, List<EventLoop> loops, NodeObservers observers)
            throws UnusableFilesException {
        NodeThreads threads = new NodeThreads();
        NodeFiles files = null;
        Node node = null;
        boolean begun = false;
        try {
            files = NodeFiles.open(
                    settings.dataDirectory(),
                    settings.identity(),
                    (directory, reserve) ->
                            ConsensusEngine.readLog(consensusConfig(settings, directory, reserve, observers)),
                    threads.maintenance());
            node = new Node(settings, files, threads, observers);
            node.begin(loops);
            begun = true;
            return node;
        } finally {
            if (!begun) {
                undo(node, threads, files);
            }
        }
    }

    private static void undo(@Nullable Node node, NodeThreads threads, @Nullable NodeFiles files) {
        if (node != null) {
            node.close();
            return;
        }
        threads.close();
        if (files != null) {
            files.close();
        }
    }

    /** A member that cannot go on takes no more writes, also while nobody has closed it yet. */
    @SuppressWarnings("FutureReturnValueIgnored") // the callback is the whole reaction
    private static void closeWhen(CompletableFuture<Throwable> stopped, ProposalBatcher proposals) {
        stopped.thenRun(proposals::close);
    }

    /**
     * The shard's tasks wait for the loop's next round: a timer lets answers that are queued and sockets that are ready go
     * first, so that a key with many watchers does not hold up the writes to it.
     */
    private void openShard(EventLoop loop) {
        WatchEnvironment environment = new WatchEnvironment(
                task -> loop.execute(() -> later(loop, task, 0)),
                threads.history(),
                (task, delayNanos) -> later(loop, task, delayNanos),
                System::nanoTime,
                new SplittableRandom());
        shards.put(loop, watches.openShard(environment));
    }

    @SuppressWarnings("FutureReturnValueIgnored") // timers of a loop end with it
    private static void later(EventLoop loop, Runnable task, long delayNanos) {
        loop.schedule(task, delayNanos, TimeUnit.NANOSECONDS);
    }

    private static ConsensusConfig consensusConfig(
            NodeSettings settings, DataDirectory directory, DiskReserve reserve, NodeObservers observers) {
        return new ConsensusConfig(
                directory.identity().memberId(),
                settings.voters(),
                directory.wal(),
                directory.snapshots(),
                new ConsensusConfig.Timing(
                        settings.timing().election(), settings.timing().heartbeat()),
                ConsensusConfig.Limits.DEFAULT,
                settings.fsync(),
                new ConsensusConfig.Instruments(System::nanoTime, observers.log(), reserve::makeRoom));
    }

    /** Completes when the member cannot go on, with the reason: the process has to end. */
    public CompletableFuture<Throwable> stopped() {
        return events.stopped();
    }

    /**
     * Tells all members this member's name and addresses, once there is a leader; completes when that is replicated.
     * Tries again until it is.
     */
    @SuppressWarnings("FutureReturnValueIgnored") // the callback is the whole reaction
    public CompletableFuture<Void> publishSelf() {
        SelfPublication self =
                new SelfPublication(settings.self(), identity().memberId(), members, this::submit, threads.ticker());
        events.led().thenRunAsync(self::begin, threads.ticker());
        return self.published();
    }

    /** Hands a write to the log; on the write's loop. */
    public void submit(PendingWrite write) {
        batcher.submit(write);
    }

    /**
     * Calls back, on the loop, when everything acknowledged before this call can be read here; with an error if that
     * cannot be known. On the loop.
     */
    public void afterReadBarrier(Executor loop, Consumer<@Nullable ApiError> then) {
        readBarrier.await(loop, then);
    }

    /**
     * Whether a write of this cost has to be refused because the store or its disk is full; the first refusal raises the
     * alarm for all members.
     */
    public boolean refusesForSpace(long costBytes) {
        return quota.refuses(costBytes);
    }

    /** Puts a compaction of this member's own through the log; calls back on the ticker. */
    private void compact(long revision, Consumer<@Nullable ApiError> done) {
        byte[] request =
                CompactionRequest.newBuilder().setRevision(revision).build().toByteArray();
        submit(PendingWrite.of(
                CommandType.COMPACTION,
                request,
                threads.ticker(),
                result -> done.accept(result instanceof Result.Failed failed ? failed.error() : null)));
    }

    /**
     * A place for a client of this loop to wait until history is gone, to be had before it asks for that; null if too many
     * wait.
     */
    public @Nullable PhysicalCompaction waitForCompaction(Executor loop) {
        return maintenance.waitForCompaction(loop);
    }

    /**
     * Gives back all disk space that this member can do without. What lies in the file that is being written is had only if
     * the log takes an entry; if not, the rest is.
     *
     * @param done is called on a thread of the node: with null, or with what went wrong
     */
    public void defragment(Consumer<@Nullable Exception> done) {
        long begunNanos = System.nanoTime();
        observer.defragmenting();
        new Defragmentation(files, events, maintenance, consensus).begin(threads.ticker(), this::submit, problem -> {
            observer.defragmented(System.nanoTime() - begunNanos);
            done.accept(problem);
        });
    }

    /** Is told of hashes. */
    public MaintenanceObserver observer() {
        return observer;
    }

    /** Where hashes are computed; refuses with an exception when too many wait. */
    public Executor hashes() {
        return threads.hashes();
    }

    /** Whether long work is to be given up, as the member ends. */
    public boolean isClosing() {
        return closing;
    }

    /** The keys, for reading. */
    public MvccStore store() {
        return files.store();
    }

    public MemberRegistry members() {
        return members;
    }

    public AlarmRegistry alarms() {
        return alarms;
    }

    /** The watch shard of a loop; its methods are for that loop only. */
    public WatchShard shardOf(EventLoop loop) {
        return Objects.requireNonNull(shards.get(loop), "not one of this server's loops");
    }

    /** Watchers that a connection may have. */
    public int watchersPerConnection() {
        return settings.watchLimits().stream().watchersPerConnection();
    }

    /** Where long reads run; refuses with an exception when too many wait. */
    public ExecutorService readers() {
        return threads.readers();
    }

    /** Where metrics are collected; refuses with an exception when too many wait. */
    public Executor scrapes() {
        return threads.scrapes();
    }

    /** Who this member is. */
    public Identity identity() {
        return files.identity();
    }

    /** The store's limit in bytes. */
    public long quotaBytes() {
        return settings.quotaBytes();
    }

    /** What results on their way to clients hold. */
    public AnswerBudget answers() {
        return answers;
    }

    /** What was done to the keys. */
    public OperationCounts counts() {
        return counts;
    }

    /** Where this member stands in the log. */
    public ConsensusStatus status() {
        return consensus.status();
    }

    /** The current term; cheap. */
    public long term() {
        return events.leadership().term();
    }

    /** Whether a leader is known; cheap. */
    public boolean leaderKnown() {
        return events.leadership().leader() != null;
    }

    /** How often a leader has appeared, the first one included. */
    public long leaderChanges() {
        return events.leaderChanges();
    }

    /** Writes waiting for their result. */
    public int pendingWrites() {
        return batcher.pending();
    }

    /** Whoever waits for history to be gone is told that the member stops; what is under way goes on. */
    public void stopWaiting() {
        maintenance.stopWaiting();
    }

    /** Stops: no further write is taken, what is in the log already is applied as far as it has come. */
    @Override
    public void close() {
        closing = true;
        files.reserve().close();
        maintenance.close();
        batcher.close();
        consensus.close();
        threads.close();
        files.close();
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.consensus.jraft;

import com.alipay.sofa.jraft.NodeManager;
import com.alipay.sofa.jraft.Status;
import com.alipay.sofa.jraft.core.NodeImpl;
import com.alipay.sofa.jraft.entity.EnumOutter.ErrorType;
import com.alipay.sofa.jraft.entity.LogEntry;
import com.alipay.sofa.jraft.entity.PeerId;
import com.alipay.sofa.jraft.entity.Task;
import com.alipay.sofa.jraft.error.RaftError;
import com.alipay.sofa.jraft.error.RaftException;
import dev.nightjar.consensus.Consensus;
import dev.nightjar.consensus.ConsensusConfig;
import dev.nightjar.consensus.ConsensusException;
import dev.nightjar.consensus.ConsensusStatus;
import dev.nightjar.consensus.MemberId;
import dev.nightjar.consensus.Proposal;
import dev.nightjar.consensus.ProposalFailure;
import dev.nightjar.consensus.StateMachine;
import dev.nightjar.consensus.Transport;
import dev.nightjar.consensus.log.DiskFiles;
import dev.nightjar.consensus.log.LogFiles;
import dev.nightjar.consensus.log.LogOptions;
import dev.nightjar.consensus.log.SegmentedLog;
import dev.nightjar.consensus.log.StateFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A member of a replicated log. Any thread; callbacks come on the engine's apply thread. */
public final class JraftConsensus implements Consensus {
    private static final Logger LOG = LoggerFactory.getLogger(JraftConsensus.class);

    /** The engine keeps its members in a table of the process, by group: each of ours gets a group of its own there. */
    private static final AtomicLong GROUPS = new AtomicLong();

    private final ConsensusConfig config;
    private final Transport transport;
    private final StateMachineDriver driver;
    private final ExecutorService executor;
    private final RequestReceiver receiver;
    private final ProposalWindow window;
    private final NodeImpl node;
    private final ReadBarriers barriers;
    private volatile boolean stopped;

    private JraftConsensus(ConsensusConfig config, StateMachine stateMachine, Transport transport) {
        this.config = config;
        this.transport = transport;
        this.driver = new StateMachineDriver(stateMachine, config.self(), this::status);
        this.executor = Executors.newThreadPerTaskExecutor(
                Thread.ofVirtual().name("consensus-peer-", 0).factory());
        this.receiver = new RequestReceiver(executor);
        this.window = new ProposalWindow(
                config.limits().proposalsInFlight(), config.limits().proposalBytesInFlight());
        PeerId self = PeerIds.peerOf(config.self());
        NodeManager.getInstance().addAddress(self.getEndpoint());
        this.node = new NodeImpl("nightjar-" + GROUPS.incrementAndGet(), self);
        this.barriers = new ReadBarriers(node, driver);
    }

    /** Starts a member; see {@link dev.nightjar.consensus.ConsensusEngine#start}. */
    public static Consensus start(ConsensusConfig config, StateMachine stateMachine, Transport transport)
            throws IOException {
        return start(
                config,
                stateMachine,
                transport,
                DiskFiles.at(config.logDirectory()),
                DiskFiles.at(config.snapshotDirectory()));
    }

    /** Starts a member on given file systems for log and vote. */
    static Consensus start(
            ConsensusConfig config,
            StateMachine stateMachine,
            Transport transport,
            LogFiles logFiles,
            LogFiles voteFiles)
            throws IOException {
        JraftConsensus consensus = new JraftConsensus(config, stateMachine, transport);
        boolean started = false;
        try {
            consensus.open(logFiles, voteFiles);
            started = true;
            return consensus;
        } finally {
            if (!started) {
                consensus.close();
            }
        }
    }

    private void open(LogFiles logFiles, LogFiles voteFiles) throws IOException {
        VoteStorage vote = VoteStorage.open(new StateFile(voteFiles, "vote", config.fsync()), driver::failing);
        List<LogEntry> configurations = new ArrayList<>();
        SegmentedLog log = SegmentedLog.open(
                logFiles,
                new LogOptions(
                        config.limits().segmentBytes(),
                        config.fsync(),
                        config.instruments().ticker(),
                        config.instruments().logObserver()),
                entry -> configurations.add(LogStorageAdapter.toEntry(entry)));
        MemberOptions options = EngineSettings.of(config, transport, executor);
        options.setServiceFactory(
                new StorageFactory(new LogStorageAdapter(log, configurations, driver::failing), vote));
        options.setFsm(driver);
        driver.connect(role -> {}, this::stop);
        transport.start(receiver);
        if (!node.init(options)) {
            log.close();
            throw new IOException("the consensus engine did not start", driver.failure());
        }
        receiver.open(node);
    }

    private void stop(Throwable cause) {
        node.onError(new RaftException(
                ErrorType.ERROR_TYPE_STATE_MACHINE, RaftError.ESTATEMACHINE, "%s", String.valueOf(cause.getMessage())));
    }

    @Override
    public void propose(ByteBuffer command, Proposal proposal) {
        int size = command.remaining();
        if (size > config.limits().maxEntryBytes()) {
            throw new IllegalArgumentException("command of " + size + " bytes");
        }
        Role role = driver.role();
        if (stopped || driver.failure() != null) {
            executor.execute(() -> proposal.failed(ProposalFailure.STOPPED));
        } else if (!role.leading()) {
            executor.execute(() -> proposal.failed(ProposalFailure.NOT_LEADER));
        } else if (!window.tryEnter(size)) {
            executor.execute(() -> proposal.failed(ProposalFailure.OVERLOADED));
        } else {
            ProposalClosure closure = new ProposalClosure(proposal, size, window);
            try {
                node.apply(new Task(command.slice(), closure, role.term()));
            } catch (IllegalStateException e) {
                LOG.debug("proposal to a stopping engine", e);
                executor.execute(() -> closure.fail(ProposalFailure.STOPPED));
            }
        }
    }

    @Override
    public CompletableFuture<Long> readBarrier() {
        if (stopped || driver.failure() != null) {
            return CompletableFuture.failedFuture(new ConsensusException(ProposalFailure.STOPPED, "stopped"));
        }
        return barriers.next();
    }

    @Override
    public ConsensusStatus status() {
        Role role = driver.role();
        long applied = driver.appliedIndex();
        return new ConsensusStatus(role.term(), role.leader(), role.leading(), false, applied, applied);
    }

    @Override
    public CompletableFuture<Void> transferLeadership(MemberId target) {
        return CompletableFuture.failedFuture(new UnsupportedOperationException());
    }

    @Override
    public CompletableFuture<Long> snapshot() {
        CompletableFuture<Long> result = new CompletableFuture<>();
        node.snapshot(status -> complete(result, status));
        return result;
    }

    private void complete(CompletableFuture<Long> result, Status status) {
        if (status.isOk()) {
            result.complete(driver.appliedIndex());
        } else {
            result.completeExceptionally(
                    new ConsensusException(ProposalFailure.OVERLOADED, String.valueOf(status.getErrorMsg())));
        }
    }

    @Override
    public void close() {
        stopped = true;
        receiver.close();
        transport.close();
        node.shutdown();
        try {
            node.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        executor.shutdown();
    }
}

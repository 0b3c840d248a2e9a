/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.consensus.jraft;

import com.alipay.sofa.jraft.NodeManager;
import com.alipay.sofa.jraft.Status;
import com.alipay.sofa.jraft.core.NodeImpl;
import com.alipay.sofa.jraft.entity.EnumOutter.ErrorType;
import com.alipay.sofa.jraft.entity.PeerId;
import com.alipay.sofa.jraft.entity.Task;
import com.alipay.sofa.jraft.error.RaftError;
import com.alipay.sofa.jraft.error.RaftException;
import dev.nightjar.consensus.Consensus;
import dev.nightjar.consensus.ConsensusConfig;
import dev.nightjar.consensus.ConsensusException;
import dev.nightjar.consensus.ConsensusStatus;
import dev.nightjar.consensus.LogCheck;
import dev.nightjar.consensus.MemberId;
import dev.nightjar.consensus.Members;
import dev.nightjar.consensus.Membership;
import dev.nightjar.consensus.Proposal;
import dev.nightjar.consensus.ProposalFailure;
import dev.nightjar.consensus.StateMachine;
import dev.nightjar.consensus.Transport;
import dev.nightjar.consensus.log.DiskFiles;
import dev.nightjar.consensus.log.LogFiles;
import dev.nightjar.consensus.log.SegmentedLog;
import dev.nightjar.consensus.log.StateFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A member of a replicated log. Any thread; callbacks come on the engine's apply thread. */
public final class JraftConsensus implements Consensus {
    private static final Logger LOG = LoggerFactory.getLogger(JraftConsensus.class);

    /** The engine keeps its members in a table of the process, by group: each of ours gets a group of its own there. */
    private static final AtomicLong GROUPS = new AtomicLong();

    /** How long {@link #close} waits for the last proposals to be told that they failed. */
    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(10);

    private final ConsensusConfig config;
    private final Transport transport;
    private final StateMachineDriver driver;
    private final RequestReceiver receiver;
    private final ProposalWindow window;
    private final NodeImpl node;
    private final MembersView members;
    private final ReadBarriers barriers;
    private final LeadershipTransfer transfer;
    private final Membership membership;

    /** Short tasks that may wait for the engine's locks; never rejects one. */
    private final Executor executor =
            task -> Thread.ofVirtual().name("consensus-task").start(task);

    /** Read-held while a proposal enters the engine, so that none enters after {@link #close} has begun. */
    private final ReentrantReadWriteLock gate = new ReentrantReadWriteLock();

    private volatile boolean stopped;

    /** Set by the thread that starts. */
    private @Nullable SegmentedLog log;

    private boolean initialized;

    private JraftConsensus(ConsensusConfig config, StateMachine stateMachine, Transport transport) {
        this.config = config;
        this.transport = transport;
        this.driver = new StateMachineDriver(stateMachine, config.self(), this::status);
        this.receiver = new RequestReceiver(executor);
        this.window = new ProposalWindow(
                config.limits().proposalsInFlight(), config.limits().proposalBytesInFlight());
        PeerId self = PeerIds.peerOf(config.self());
        // The table of addresses only grows by one entry for each member id of the process.
        NodeManager.getInstance().addAddress(self.getEndpoint());
        this.node = new NodeImpl("nightjar-" + GROUPS.incrementAndGet(), self);
        EngineSignals.drop();
        this.members = new MembersView(node, self, executor);
        Duration limit = config.timing().election().plus(config.timing().election());
        this.barriers = new ReadBarriers(node, driver, members, executor, limit);
        this.transfer = new LeadershipTransfer(node, executor, limit);
        this.membership = new MembershipChanges(node, members, executor, this::isStopped);
    }

    /** See {@link dev.nightjar.consensus.ConsensusEngine#readLog}. */
    public static OpeningLog readLog(ConsensusConfig config) {
        return OpeningLog.begin(config);
    }

    /** Starts a member; see {@link dev.nightjar.consensus.ConsensusEngine#start}. */
    public static Consensus start(OpeningLog log, StateMachine stateMachine, Transport transport) throws IOException {
        try (log) {
            ConsensusConfig config = log.config();
            LogFiles voteFiles = DiskFiles.at(
                    config.snapshotDirectory(), config.instruments().room());
            return start(log, stateMachine, transport, voteFiles);
        }
    }

    /** See {@link dev.nightjar.consensus.ConsensusEngine#snapshots}. */
    public static List<Path> snapshots(Path directory) throws IOException {
        return SnapshotFiles.all(directory);
    }

    /** See {@link dev.nightjar.consensus.ConsensusEngine#checkSnapshots}. */
    public static void checkSnapshots(Path directory, long firstIndex) throws IOException {
        SnapshotFiles.check(directory, firstIndex);
    }

    /** See {@link dev.nightjar.consensus.ConsensusEngine#checkLog}. */
    public static LogCheck checkLog(Path logDirectory, Path snapshotDirectory) throws IOException {
        List<LogCheck.Repair> repairs = new ArrayList<>();
        LogFiles voteFiles = SegmentedLog.readOnly(snapshotDirectory, repairs::add);
        VoteStorage vote = VoteStorage.open(new StateFile(voteFiles, "vote", false), failure -> {});
        try (SegmentedLog log = SegmentedLog.check(SegmentedLog.readOnly(logDirectory, repairs::add))) {
            vote.check(log);
            return new LogCheck(log.firstIndex(), log.lastIndex(), List.copyOf(repairs));
        }
    }

    /** Starts a member on given file systems for log and vote. */
    static Consensus start(
            ConsensusConfig config,
            StateMachine stateMachine,
            Transport transport,
            LogFiles logFiles,
            LogFiles voteFiles)
            throws IOException {
        try (OpeningLog log = OpeningLog.begin(config, logFiles)) {
            return start(log, stateMachine, transport, voteFiles);
        }
    }

    private static Consensus start(OpeningLog log, StateMachine stateMachine, Transport transport, LogFiles voteFiles)
            throws IOException {
        JraftConsensus consensus = new JraftConsensus(log.config(), stateMachine, transport);
        boolean started = false;
        try {
            consensus.open(log, voteFiles);
            started = true;
            return consensus;
        } finally {
            if (!started) {
                consensus.close();
            }
        }
    }

    private void open(OpeningLog opening, LogFiles voteFiles) throws IOException {
        VoteStorage vote = VoteStorage.open(new StateFile(voteFiles, "vote", config.fsync()), driver::failing);
        driver.resumeAt(vote.getTerm());
        OpeningLog.Opened found = opening.finish();
        SegmentedLog opened = found.log();
        log = opened;
        vote.check(opened);
        SnapshotFiles.check(config.snapshotDirectory(), opened.firstIndex());
        MemberOptions options = EngineSettings.of(config, transport, executor);
        options.setServiceFactory(new StorageFactory(
                new LogStorageAdapter(opened, found.configurations(), driver::failing, members::refresh), vote));
        options.setFsm(driver);
        driver.connect(this::roleChanged, members::refreshSoon, this::stop);
        transport.start(receiver);
        if (!initialize(options)) {
            Throwable cause = driver.failure();
            throw new IOException(
                    "the consensus engine did not start" + (cause == null ? "" : ": " + cause.getMessage()), cause);
        }
        members.read();
        requireSelf();
        receiver.open(node);
    }

    /** A member that its own log does not name would wait for a leader for ever: files that were mixed up, as a rule. */
    private void requireSelf() throws IOException {
        Members named = members.members();
        boolean isNamed =
                named.voters().contains(config.self()) || named.learners().contains(config.self());
        if (!isNamed && !(named.voters().isEmpty() && named.learners().isEmpty())) {
            throw new IOException("the log in %s, with its snapshots, is not of this member, %s: its members are %s"
                    .formatted(config.logDirectory(), config.self(), named.voters()));
        }
    }

    private boolean initialize(MemberOptions options) throws IOException {
        try {
            boolean running = node.init(options);
            initialized = true;
            return running;
        } catch (RuntimeException e) {
            throw new IOException("the consensus engine did not start", e);
        }
    }

    private void roleChanged(Role role) {
        members.refresh();
        transfer.roleChanged(role);
    }

    private void stop(Throwable cause) {
        node.onError(new RaftException(
                ErrorType.ERROR_TYPE_STATE_MACHINE, RaftError.ESTATEMACHINE, "%s", String.valueOf(cause.getMessage())));
    }

    @Override
    public void propose(ByteBuffer command, Proposal proposal) {
        int size = command.remaining();
        if (size > config.limits().maxEntryBytes()) {
            throw new IllegalArgumentException("command of " + size + " bytes; the limit is "
                    + config.limits().maxEntryBytes());
        }
        ProposalFailure refusal = tryPropose(command.slice(), size, proposal);
        if (refusal != null) {
            executor.execute(() -> proposal.failed(refusal));
        }
    }

    private @Nullable ProposalFailure tryPropose(ByteBuffer command, int size, Proposal proposal) {
        gate.readLock().lock();
        try {
            if (isStopped()) {
                return ProposalFailure.STOPPED;
            }
            Role role = driver.role();
            if (!role.leading()) {
                return ProposalFailure.NOT_LEADER;
            }
            if (!window.tryEnter(size)) {
                return ProposalFailure.OVERLOADED;
            }
            node.apply(new Task(command, new ProposalClosure(proposal, size, window), role.term()));
            return null;
        } finally {
            gate.readLock().unlock();
        }
    }

    private boolean isStopped() {
        return stopped || driver.failure() != null;
    }

    @Override
    public CompletableFuture<Long> readBarrier() {
        return isStopped() ? stoppedFuture() : barriers.next();
    }

    @Override
    public ConsensusStatus status() {
        Role role = driver.role();
        long applied = driver.appliedIndex();
        return new ConsensusStatus(
                role.term(),
                role.leader(),
                role.leading(),
                members.isLearner(),
                driver.committedIndex(),
                applied,
                driver.snapshotIndex());
    }

    @Override
    public CompletableFuture<Void> transferLeadership(MemberId target) {
        return isStopped() ? stoppedFuture() : transfer.to(target);
    }

    @Override
    public Membership membership() {
        return membership;
    }

    @Override
    public CompletableFuture<Long> snapshot() {
        if (isStopped()) {
            return stoppedFuture();
        }
        CompletableFuture<Long> result = new CompletableFuture<>();
        executor.execute(() -> node.snapshot(status -> snapshotEnded(result, status)));
        return result;
    }

    private void snapshotEnded(CompletableFuture<Long> result, Status status) {
        if (status.isOk()) {
            result.complete(driver.snapshotIndex());
        } else {
            ProposalFailure failure =
                    status.getRaftError() == RaftError.EBUSY ? ProposalFailure.OVERLOADED : ProposalFailure.STOPPED;
            result.completeExceptionally(new ConsensusException(failure, "no snapshot: " + status.getErrorMsg()));
        }
    }

    private static <T> CompletableFuture<T> stoppedFuture() {
        return CompletableFuture.failedFuture(
                new ConsensusException(ProposalFailure.STOPPED, "this member has stopped"));
    }

    @Override
    public void close() {
        gate.writeLock().lock();
        try {
            if (stopped) {
                return;
            }
            stopped = true;
        } finally {
            gate.writeLock().unlock();
        }
        receiver.close();
        try {
            // A leader tells the best follower to take over, so the transport goes last.
            node.shutdown();
            if (initialized) {
                node.join();
            }
            if (!window.awaitEmpty(CLOSE_LIMIT)) {
                LOG.warn("proposals were left without an answer");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            transport.close();
            closeLog();
        }
    }

    private void closeLog() {
        SegmentedLog opened = log;
        if (opened != null) {
            try {
                opened.close();
            } catch (IOException e) {
                LOG.warn("could not close the consensus log", e);
            }
        }
    }
}

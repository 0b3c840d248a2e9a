/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.consensus.jraft;

import com.alipay.sofa.jraft.option.ApplyTaskMode;
import com.alipay.sofa.jraft.option.RaftOptions;
import com.alipay.sofa.jraft.option.ReadOnlyOption;
import dev.nightjar.consensus.ConsensusConfig;
import dev.nightjar.consensus.Transport;
import java.util.concurrent.Executor;

/** The engine's settings, with a reason for each that is not its default. */
final class EngineSettings {
    /** Twice the proposals that may be in flight, so that no queue of the engine is ever full. */
    private static final int RING_SIZE = 2 * ConsensusConfig.Limits.MAX_PROPOSALS_IN_FLIGHT;

    /** One group of the log; small groups waste syncs. */
    private static final int GROUP_BYTES = 4 << 20;

    /** Entries kept in memory until they are applied and on disk; beyond, the engine says that it is busy. */
    private static final long ENTRIES_IN_MEMORY_BYTES = 512L << 20;

    private EngineSettings() {}

    static MemberOptions of(ConsensusConfig config, Transport transport, Executor executor) {
        int electionMillis = Math.toIntExact(config.timing().election().toMillis());
        MemberOptions options = new MemberOptions(transport);
        options.setElectionTimeoutMs(electionMillis);
        options.setInitialConf(PeerIds.configurationOf(config.initialVoters()));
        options.setLogUri("log");
        options.setRaftMetaUri("vote");
        options.setSnapshotUri(config.snapshotDirectory().toString());
        options.setSnapshotIntervalSecs(0); // the server says when
        options.setDisableCli(true);
        options.setApplyTaskMode(ApplyTaskMode.NonBlocking);
        options.setSharedTimerPool(true);
        options.setSharedElectionTimer(true);
        options.setSharedVoteTimer(true);
        options.setSharedStepDownTimer(true);
        options.setSharedSnapshotTimer(true);
        options.setRpcProcessorThreadPoolSize(6); // callbacks of votes and chunks
        options.setRpcDefaultTimeout(2 * electionMillis); // a lost append is noticed after this
        options.setAppendEntriesExecutors(new SerialExecutor.Group(executor, RequestReceiver.LOG_REQUESTS_PER_MEMBER));
        options.setRaftOptions(raftOptions(config, electionMillis));
        return options;
    }

    private static RaftOptions raftOptions(ConsensusConfig config, int electionMillis) {
        RaftOptions options = new RaftOptions();
        options.setSync(config.fsync());
        options.setSyncMeta(config.fsync()); // by default the engine does not sync snapshot metadata
        options.setApplyBatch(512); // proposals that become one group
        options.setMaxAppendBufferSize(GROUP_BYTES);
        options.setMaxBodySize(GROUP_BYTES);
        options.setMaxLogsInMemoryBytes(ENTRIES_IN_MEMORY_BYTES);
        options.setDisruptorBufferSize(RING_SIZE);
        options.setReadOnlyOptions(ReadOnlyOption.ReadOnlySafe); // no trust in clocks
        options.setMaxElectionDelayMs(electionMillis); // spreads elections over one more timeout
        options.setElectionHeartbeatFactor(
                Math.max(1, electionMillis / (int) config.timing().heartbeat().toMillis()));
        options.setMaxByteCountPerRpc(RequestReceiver.MAX_CHUNK_BYTES);
        options.setEnableLogEntryChecksum(false); // the log and the messages have their own, which are faster
        options.setOpenStatistics(false);
        return options;
    }
}

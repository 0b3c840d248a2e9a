/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.consensus;

import dev.nightjar.consensus.jraft.JraftConsensus;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Starts a member of a replicated log. */
public final class ConsensusEngine {
    private ConsensusEngine() {}

    /**
     * Opens the member's files, loads the newest snapshot and starts to take part. Entries behind the snapshot that are known
     * to be committed are applied on the apply thread, not before this returns.
     *
     * @param transport reaches the other members; the engine starts and closes it
     * @throws LogCorruptException if a file is damaged in a way that no crash explains
     * @throws IOException if the member cannot start; nothing runs then
     */
    public static Consensus start(ConsensusConfig config, StateMachine stateMachine, Transport transport)
            throws IOException {
        return start(readLog(config), stateMachine, transport);
    }

    /**
     * The same, with a log that is being read already.
     *
     * @param log that of {@link #readLog}; closed if the member cannot start
     */
    public static Consensus start(LogReading log, StateMachine stateMachine, Transport transport) throws IOException {
        return JraftConsensus.start(log.opening(), stateMachine, transport);
    }

    /**
     * Begins to read the log of a member that is about to start, on a thread of its own. Changes nothing: what has to be
     * repaired or made is when the member starts, and what is wrong is told then.
     */
    public static LogReading readLog(ConsensusConfig config) {
        return new LogReading(JraftConsensus.readLog(config));
    }

    /**
     * The directories of the snapshots of a member that does not run, oldest first; each holds what the state machine saved.
     *
     * @param directory of all snapshots; need not exist
     */
    public static List<Path> snapshots(Path directory) throws IOException {
        return JraftConsensus.snapshots(directory);
    }

    /**
     * Checks that the newest snapshot of a member that does not run is there as it was taken. Changes nothing.
     *
     * @param directory of all snapshots; need not exist
     * @param firstIndex where the member's log begins, 1 if it has none: what comes before must be in a snapshot
     * @throws IOException naming the file that is missing or not what it was
     */
    public static void checkSnapshots(Path directory, long firstIndex) throws IOException {
        JraftConsensus.checkSnapshots(directory, firstIndex);
    }

    /**
     * Reads the log of a member that does not run, and its vote. Changes nothing.
     *
     * @param logDirectory of the log; has to exist
     * @param snapshotDirectory where the vote is
     * @throws LogCorruptException if a file of the log is damaged in a way that no crash explains
     * @throws IOException naming what is missing, cannot be read or does not belong together
     */
    public static LogCheck checkLog(Path logDirectory, Path snapshotDirectory) throws IOException {
        return JraftConsensus.checkLog(logDirectory, snapshotDirectory);
    }
}

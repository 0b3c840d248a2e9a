/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.consensus;

import dev.nightjar.consensus.jraft.OpeningLog;
import java.io.IOException;

/**
 * The log of a member that is about to start, read on a thread of its own while whoever starts the member has other things
 * to do. Nothing on the disk changes before {@link ConsensusEngine#start}. Used by the thread that starts the member.
 */
public final class LogReading implements AutoCloseable {
    private final OpeningLog opening;

    LogReading(OpeningLog opening) {
        this.opening = opening;
    }

    OpeningLog opening() {
        return opening;
    }

    /**
     * The index of the last entry that the log holds or the newest snapshot includes, 0 if there is none; waits until the
     * log has been read. A state machine that has applied more than that does not belong to this log, or the log has lost
     * its end.
     *
     * @throws LogCorruptException if a file is damaged in a way that no crash explains
     * @throws IOException if the log cannot be read
     */
    public long end() throws IOException {
        return opening.end();
    }

    /** The member does not start: gives the files free, without a change. Does nothing once it has started. */
    @Override
    public void close() {
        opening.close();
    }
}

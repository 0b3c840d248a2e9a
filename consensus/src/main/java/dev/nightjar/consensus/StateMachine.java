/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.consensus;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** What the log drives. All methods are called on the one apply thread. */
public interface StateMachine {

    /**
     * Applies committed entries in order. Returns after the last one is applied; an exception stops the member for
     * good. A call may bring no entry at all.
     */
    void apply(Entries entries);

    /**
     * Takes a point-in-time copy of the state into an existing empty directory. The cheap part (which fixes the point)
     * happens before this returns; the rest may be done by the returned future, which completes when all files are in
     * place and synced.
     */
    CompletableFuture<Void> saveSnapshot(Path directory) throws IOException;

    /**
     * Replaces the whole state by that of a snapshot directory. Called at every start with the newest snapshot, so an
     * implementation whose own applied index is not below {@code lastIncludedIndex} does nothing. That index may be one
     * of the engine's own entries, a little above the last one that the snapshot's state machine had seen.
     */
    void loadSnapshot(Path directory, long lastIncludedIndex) throws IOException;

    /** The leader or the term changed. */
    void leaderChanged(ConsensusStatus status);

    /** The engine stopped for good because of an error (log write failed, apply threw). */
    void failed(Throwable cause);

    /** The committed entries of one call, in order. */
    interface Entries {
        /** Moves to the next entry; false at the end of the batch. */
        boolean next();

        /** The entry's index. Indexes grow, with gaps: the engine has entries of its own. */
        long index();

        long term();

        /** The entry's bytes; valid until the next call of {@link #next}. */
        java.nio.ByteBuffer command();

        /** What this member's proposer attached, or null if the entry comes from elsewhere or from replay. */
        @Nullable
        Proposal proposal();
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.http;

import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** What the health paths need to know of the server behind them. Called on any thread; no method blocks. */
public interface HealthSource {

    /** The kinds of alarm that are raised, as the API spells them: {@code NOSPACE}, {@code CORRUPT}. */
    Set<String> alarms();

    /** Whether a leader is known. */
    boolean leaderKnown();

    /** Whether this member is a learner. */
    boolean learner();

    /**
     * Reads one key locally, as a client would.
     *
     * @return null once it worked, or the error's text; never completes exceptionally
     */
    CompletableFuture<@Nullable String> serializableRead();

    /** The same through the log, so that it works only with a quorum. */
    CompletableFuture<@Nullable String> linearizableRead();

    /** The cluster's version in three numbers, or null while it is not decided. */
    @Nullable
    String clusterVersion();
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.http;

import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A server that is as ill as a test wants, and as slow. Used by one thread. */
final class FakeHealth implements HealthSource {
    final Set<String> alarms = new TreeSet<>();
    boolean leader = true;
    boolean learner;

    @Nullable
    String serializableError;

    @Nullable
    String linearizableError;

    @Nullable
    String clusterVersion = "3.7.0";

    private CompletableFuture<Void> gate = CompletableFuture.completedFuture(null);

    void hold() {
        gate = new CompletableFuture<>();
    }

    void fail() {
        gate = CompletableFuture.failedFuture(new IllegalStateException("closed"));
    }

    void release() {
        gate.complete(null);
    }

    @Override
    public Set<String> alarms() {
        return alarms;
    }

    @Override
    public boolean leaderKnown() {
        return leader;
    }

    @Override
    public boolean learner() {
        return learner;
    }

    @Override
    public CompletableFuture<@Nullable String> serializableRead() {
        return CompletableFuture.completedFuture(serializableError);
    }

    @Override
    public CompletableFuture<@Nullable String> linearizableRead() {
        return gate.thenApply(_ -> linearizableError);
    }

    @Override
    public @Nullable String clusterVersion() {
        return clusterVersion;
    }
}

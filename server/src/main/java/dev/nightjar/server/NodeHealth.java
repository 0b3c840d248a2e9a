/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server;

import dev.nightjar.api.etcdserverpb.AlarmMember;
import dev.nightjar.core.apply.ApiError;
import dev.nightjar.core.mvcc.RangeQuery;
import dev.nightjar.server.config.Version;
import dev.nightjar.server.http.HealthSource;
import dev.nightjar.server.node.Node;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A node as the health pages see it. Any thread. */
final class NodeHealth implements HealthSource {
    /** A key that nobody can write: reading it touches everything that a read needs. */
    private static final byte[] EMPTY_KEY = {0};

    private final Node node;

    NodeHealth(Node node) {
        this.node = node;
    }

    @Override
    public Set<String> alarms() {
        return node.alarms().all().stream()
                .map(AlarmMember::getAlarm)
                .map(Enum::name)
                .collect(Collectors.toSet());
    }

    @Override
    public boolean leaderKnown() {
        return node.leaderKnown();
    }

    @Override
    public boolean learner() {
        return node.status().learner();
    }

    @Override
    public CompletableFuture<@Nullable String> serializableRead() {
        node.store().range(RangeQuery.of(EMPTY_KEY));
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletableFuture<@Nullable String> linearizableRead() {
        CompletableFuture<@Nullable String> done = new CompletableFuture<>();
        node.afterReadBarrier(Runnable::run, error -> done.complete(text(error)));
        return done;
    }

    private static @Nullable String text(@Nullable ApiError error) {
        return error == null ? null : error.text();
    }

    @Override
    public String clusterVersion() {
        return Version.CLUSTER_FULL;
    }
}

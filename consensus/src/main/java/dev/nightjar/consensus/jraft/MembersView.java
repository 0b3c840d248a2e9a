/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.consensus.jraft;

import com.alipay.sofa.jraft.conf.Configuration;
import com.alipay.sofa.jraft.core.NodeImpl;
import com.alipay.sofa.jraft.entity.PeerId;
import dev.nightjar.consensus.Members;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What the engine's configuration says, for any thread to ask: whether this member is the only voter (then nobody else can have
 * become leader, and a read needs no round of heartbeats), whether it is a learner, and who takes part.
 *
 * <p>"Only voter" turns false before a change of members is handed to the engine, and true only when no change is under way
 * and the configuration says so. The configuration is never asked for on the apply thread, which must not wait for the
 * engine's lock.
 */
final class MembersView {
    /** The engine takes a snapshot's configuration over right after the state machine has loaded it. */
    private static final long SNAPSHOT_MILLIS = 200;

    private final NodeImpl node;
    private final PeerId self;
    private final Executor executor;

    /** Guarded by this. */
    private int changes;

    private volatile boolean sole;
    private volatile boolean learner;
    private volatile Members members = new Members(List.of(), List.of());

    MembersView(NodeImpl node, PeerId self, Executor executor) {
        this.node = node;
        this.self = self;
        this.executor = executor;
    }

    /** Whether no other member can lead. */
    boolean isSoleVoter() {
        return sole;
    }

    /** The members as they were when last looked at. */
    Members members() {
        return members;
    }

    boolean isLearner() {
        return learner;
    }

    /** A change of members is about to be handed to the engine. */
    synchronized void changeBegins() {
        changes++;
        sole = false;
    }

    /** A change of members has ended one way or the other. */
    synchronized void changeEnded() {
        changes--;
        read();
    }

    /** Looks at the configuration again, soon. Any thread, never waits. */
    void refresh() {
        executor.execute(this::read);
    }

    /** Looks at the configuration again, soon and a while later: the engine is about to replace it by a snapshot's. */
    void refreshSoon() {
        refresh();
        CompletableFuture.delayedExecutor(SNAPSHOT_MILLIS, TimeUnit.MILLISECONDS, executor)
                .execute(this::read);
    }

    /** Looks at the configuration again; waits for the engine's lock. */
    synchronized void read() {
        @Nullable Configuration configuration = node.getCurrentConf();
        if (configuration != null) {
            learner = configuration.getLearners().contains(self);
            members = new Members(
                    configuration.listPeers().stream().map(PeerIds::memberOf).toList(),
                    configuration.listLearners().stream().map(PeerIds::memberOf).toList());
            sole = changes == 0 && configuration.listPeers().equals(List.of(self));
        }
    }
}

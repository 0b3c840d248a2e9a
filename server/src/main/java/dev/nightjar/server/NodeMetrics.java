/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server;

import dev.nightjar.core.apply.OperationCounts;
import dev.nightjar.core.mvcc.MvccStore;
import dev.nightjar.server.config.Version;
import dev.nightjar.server.node.Node;
import dev.nightjar.server.observe.Metrics;

/** Shows a node's figures: each is read where it lives when somebody asks. Stateless. */
final class NodeMetrics {
    private NodeMetrics() {}

    static void show(Metrics metrics, Node node) {
        metrics.hasLeader.follow(() -> node.leaderKnown() ? 1 : 0);
        metrics.isLeader.follow(() -> node.status().leading() ? 1 : 0);
        metrics.isLearner.follow(() -> node.status().learner() ? 1 : 0);
        metrics.leaderChangesSeen.follow(node::leaderChanges);
        metrics.proposalsCommitted.follow(() -> node.status().committedIndex());
        metrics.proposalsApplied.follow(() -> node.status().appliedIndex());
        metrics.proposalsPending.follow(node::pendingWrites);
        metrics.quotaBackendBytes.follow(node::quotaBytes);
        metrics.serverId(node.identity().memberId().toString());
        metrics.clusterVersion(Version.CLUSTER);
        showStore(metrics, node.store());
        showCounts(metrics, node.counts());
    }

    private static void showStore(Metrics metrics, MvccStore store) {
        metrics.dbTotalSize.follow(store::sizeBytes);
        metrics.dbTotalSizeInUse.follow(store::sizeInUseBytes);
        metrics.keysTotal.follow(store::keyCount);
        metrics.currentRevision.follow(store::publishedRevision);
        metrics.compactRevision.follow(store::compactedRevision);
    }

    private static void showCounts(Metrics metrics, OperationCounts counts) {
        metrics.ranges.follow(counts::ranges);
        metrics.puts.follow(counts::puts);
        metrics.deletes.follow(counts::deletes);
        metrics.txns.follow(counts::txns);
        metrics.totalPutSize.follow(counts::putBytes);
    }
}

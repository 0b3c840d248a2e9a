/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.consensus;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MembershipTest {
    private static final MemberId ONE = new MemberId(1);
    private static final MemberId TWO = new MemberId(2);
    private static final MemberId THREE = new MemberId(3);

    @TempDir
    Path directory;

    private static void write(TestCluster cluster, MemberId leader, String prefix, int count) throws Exception {
        for (int i = 0; i < count; i++) {
            RecordingStateMachine.propose(cluster.consensus(leader), prefix + i)
                    .applied()
                    .get(60, TimeUnit.SECONDS);
        }
    }

    private static void done(CompletableFuture<Void> change) throws Exception {
        change.get(60, TimeUnit.SECONDS);
    }

    private static MembershipFailure failureOf(CompletableFuture<Void> change) throws Exception {
        MembershipFailure failure = outcomeOf(change);
        if (failure == null) {
            throw new AssertionError("did not fail");
        }
        return failure;
    }

    /** The failure, or null. */
    private static @Nullable MembershipFailure outcomeOf(CompletableFuture<Void> change) throws Exception {
        try {
            change.get(60, TimeUnit.SECONDS);
            return null;
        } catch (ExecutionException e) {
            if (e.getCause() instanceof MembershipException cause) {
                return cause.failure();
            }
            throw e;
        }
    }

    @Test
    void one_member_grows_to_three_through_learners_and_survives_its_founder() throws Exception {
        try (TestCluster cluster = new TestCluster(directory, 1)) {
            cluster.awaitLeader();
            write(cluster, ONE, "a", 20);
            Membership membership = cluster.consensus(ONE).membership();
            assertThat(membership.members()).isEqualTo(new Members(List.of(ONE), List.of()));
            for (MemberId joiner : List.of(TWO, THREE)) {
                cluster.startJoiner(joiner);
                done(membership.addLearner(joiner));
                done(membership.addLearner(joiner));
                assertThat(membership.members().learners()).containsExactly(joiner);
                cluster.awaitAgreement(20);
                cluster.changes.awaitThat(
                        () -> cluster.consensus(joiner).status().learner());
                cluster.consensus(joiner).readBarrier().get(60, TimeUnit.SECONDS);
                done(membership.promote(joiner));
                done(membership.promote(joiner));
            }
            assertThat(membership.members().voters()).containsExactlyInAnyOrder(ONE, TWO, THREE);
            assertThat(membership.members().learners()).isEmpty();
            write(cluster, ONE, "b", 20);
            cluster.stop(ONE);
            MemberId leader = cluster.awaitLeader();
            write(cluster, leader, "c", 20);
            cluster.awaitAgreement(60);
            assertThat(cluster.consensus(leader).status().learner()).isFalse();
        }
    }

    @Test
    void a_leader_that_is_no_longer_alone_asks_the_others_before_it_confirms_a_read() throws Exception {
        try (TestCluster cluster = new TestCluster(directory, 1)) {
            cluster.awaitLeader();
            write(cluster, ONE, "a", 1);
            cluster.startJoiner(TWO);
            done(cluster.consensus(ONE).membership().addVoter(TWO));
            cluster.consensus(ONE).readBarrier().get(60, TimeUnit.SECONDS);
            cluster.network.isolate(TWO);
            assertThat(cluster.consensus(ONE).readBarrier().handle((_, failure) -> failure != null))
                    .succeedsWithin(java.time.Duration.ofSeconds(60))
                    .isEqualTo(true);
            cluster.network.heal();
            MemberId leader = cluster.awaitLeader();
            while (outcomeOf(cluster.consensus(leader).membership().remove(leader.equals(ONE) ? TWO : ONE)) != null) {
                leader = cluster.awaitLeader();
            }
            cluster.network.isolate(leader);
            write(cluster, leader, "alone", 1);
            cluster.consensus(leader).readBarrier().get(60, TimeUnit.SECONDS);
        }
    }

    @Test
    void a_voter_that_does_not_run_is_refused_and_the_cluster_goes_on() throws Exception {
        try (TestCluster cluster = new TestCluster(directory, 1)) {
            cluster.awaitLeader();
            Membership membership = cluster.consensus(ONE).membership();
            assertThat(failureOf(membership.addVoter(TWO))).isEqualTo(MembershipFailure.NOT_CAUGHT_UP);
            done(membership.addLearner(THREE));
            assertThat(failureOf(membership.promote(THREE))).isEqualTo(MembershipFailure.NOT_CAUGHT_UP);
            assertThat(membership.members()).isEqualTo(new Members(List.of(ONE), List.of(THREE)));
            done(membership.remove(THREE));
            done(membership.remove(THREE));
            assertThat(membership.members()).isEqualTo(new Members(List.of(ONE), List.of()));
            write(cluster, ONE, "a", 5);
        }
    }

    @Test
    void only_the_leader_changes_members_and_one_change_at_a_time() throws Exception {
        try (TestCluster cluster = new TestCluster(directory, 3)) {
            MemberId leader = cluster.awaitLeader();
            write(cluster, leader, "a", 1);
            cluster.awaitAgreement(1);
            MemberId follower = cluster.members().stream()
                    .filter(m -> !m.equals(leader))
                    .findFirst()
                    .orElseThrow();
            assertThat(failureOf(cluster.consensus(follower).membership().remove(leader)))
                    .isEqualTo(MembershipFailure.NOT_LEADER);
            Membership membership = cluster.consensus(leader).membership();
            boolean met = false;
            for (long learner = 10; !met; learner++) {
                CompletableFuture<Void> slow = membership.addVoter(new MemberId(9));
                MembershipFailure second = outcomeOf(membership.addLearner(new MemberId(learner)));
                MembershipFailure first = failureOf(slow);
                assertThat(first).isIn(MembershipFailure.NOT_CAUGHT_UP, MembershipFailure.BUSY);
                // Each begins on a thread of its own: the second may be there first, or when the first is over.
                met = first == MembershipFailure.NOT_CAUGHT_UP && second == MembershipFailure.BUSY;
            }
        }
    }

    @Test
    void a_leader_that_removes_itself_hands_over() throws Exception {
        try (TestCluster cluster = new TestCluster(directory, 3)) {
            MemberId old = cluster.awaitLeader();
            write(cluster, old, "a", 10);
            done(cluster.consensus(old).membership().remove(old));
            MemberId leader = cluster.awaitLeader(old);
            write(cluster, leader, "b", 10);
            assertThat(cluster.consensus(leader).membership().members().voters())
                    .hasSize(2)
                    .doesNotContain(old);
            cluster.stop(old);
            assertThat(failureOf(cluster.consensus(leader)
                            .membership()
                            .remove(old)
                            .thenCompose(
                                    _ -> cluster.consensus(leader).membership().addVoter(old))))
                    .isEqualTo(MembershipFailure.NOT_CAUGHT_UP);
        }
    }
}

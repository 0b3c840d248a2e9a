/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.consensus;

import java.util.concurrent.CompletableFuture;

/**
 * Changes who takes part. Only the leader can, one change at a time; every change is safe by itself, whatever crashes when.
 * Futures fail with {@link MembershipException}. All methods may be called from any thread and none blocks.
 */
public interface Membership {

    /** The members as this member knows them; may lag behind. */
    Members members();

    /**
     * Adds a voter that runs and waits with an empty log. Completes when it has caught up and its vote counts; fails with
     * {@link MembershipFailure#NOT_CAUGHT_UP} if it cannot be reached. Does nothing if it is a voter.
     */
    CompletableFuture<Void> addVoter(MemberId member);

    /** Adds a learner, which need not run yet. Does nothing if it takes part in any way. */
    CompletableFuture<Void> addLearner(MemberId member);

    /**
     * Turns a learner into a voter. Two steps: if leadership goes between them the member takes part no more, and {@link
     * #addVoter} on the next leader finishes the job.
     */
    CompletableFuture<Void> promote(MemberId learner);

    /** Removes a voter or a learner. Does nothing if it takes no part. A leader that removes itself steps down. */
    CompletableFuture<Void> remove(MemberId member);
}

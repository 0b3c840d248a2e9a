/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.consensus;

import org.jspecify.annotations.Nullable;

/**
 * Where a member stands.
 *
 * @param term the current term
 * @param leader the leader known here, or null
 * @param leading whether this member leads
 * @param learner whether this member is a learner
 * @param committedIndex the highest index known to be committed
 * @param appliedIndex the highest index handed to the state machine
 * @param snapshotIndex the last index of the newest snapshot, 0 if there is none
 */
public record ConsensusStatus(
        long term,
        @Nullable MemberId leader,
        boolean leading,
        boolean learner,
        long committedIndex,
        long appliedIndex,
        long snapshotIndex) {}

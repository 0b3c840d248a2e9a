/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.consensus;

import java.util.List;

/**
 * Who takes part in the log.
 *
 * @param voters those whose majority decides
 * @param learners those who get all entries and decide nothing
 */
public record Members(List<MemberId> voters, List<MemberId> learners) {
    public Members {
        voters = List.copyOf(voters);
        learners = List.copyOf(learners);
    }
}

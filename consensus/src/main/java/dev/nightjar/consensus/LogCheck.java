/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.consensus;

import java.util.List;

/**
 * What was found in the log of a member that does not run.
 *
 * @param firstIndex the oldest entry that counts, one above {@code lastIndex} if there is none
 * @param lastIndex the newest entry
 * @param repairs what a start would cut off or remove
 */
public record LogCheck(long firstIndex, long lastIndex, List<Repair> repairs) {

    /**
     * What a crash has left behind.
     *
     * @param file it is in
     * @param offset from which on
     * @param what it is
     */
    public record Repair(String file, long offset, String what) {}
}

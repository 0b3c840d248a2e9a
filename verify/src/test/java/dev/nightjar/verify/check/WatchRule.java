/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.check;

import java.util.List;

/** One promise that every watch gives; stateless. */
interface WatchRule {
    /** All promises. */
    List<WatchRule> ALL = List.of(
            new Lifecycle(),
            new Ordered(),
            new Unique(),
            new Atomic(),
            new Reliable(),
            new Resumable(),
            new Bookmarkable(),
            new Filtered(),
            new Content(),
            new PreviousValue());

    /** Says how {@code log} breaks the promise, given what happened; nothing if it keeps it. */
    List<String> violations(WatchLog log, History history);
}

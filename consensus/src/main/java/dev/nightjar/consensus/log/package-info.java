/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
/**
 * The consensus log on disk. Purpose: append groups of entries durably with one write and one sync each, give old entries
 * back, cut the log at either end, and tell a torn tail from damage after a crash. Written by the engine's log thread, read
 * by any thread. Of the project it knows {@code
 * consensus} alone, for its observer and its exception. Start reading at {@link dev.nightjar.consensus.log.SegmentedLog}.
 */
@org.jspecify.annotations.NullMarked
package dev.nightjar.consensus.log;

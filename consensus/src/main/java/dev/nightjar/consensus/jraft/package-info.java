/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
/**
 * The Raft engine behind {@link dev.nightjar.consensus.Consensus}: SOFAJRaft's core on our own log, vote file, timers and
 * transport. Purpose: the only place that knows the library, so that a change of it costs one package. Threads: the engine's
 * own; its log thread owns the log, its apply thread calls the state machine. Start reading at {@link
 * dev.nightjar.consensus.jraft.JraftConsensus}.
 */
@org.jspecify.annotations.NullMarked
package dev.nightjar.consensus.jraft;

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
/**
 * A replicated log of opaque commands. Purpose: whatever is proposed here is applied by every member in the same order,
 * and only after a majority holds it on disk. Knows nothing of keys, sockets or messages. Start reading at {@link
 * dev.nightjar.consensus.Consensus}.
 */
@org.jspecify.annotations.NullMarked
package dev.nightjar.consensus;

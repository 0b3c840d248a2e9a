/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
/** Tests of the watch engine: golden transcripts, a seeded random model, and a run with real threads. */
@org.jspecify.annotations.NullMarked
package dev.nightjar.core.watch;

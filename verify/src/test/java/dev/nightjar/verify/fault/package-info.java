/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
/**
 * Faults from outside: kill -9 in mid-load, restarts, slow readers, wrong flags, damaged files, memory. Every random run
 * prints its seed; {@code -Dnightjar.seed=N} replays it.
 */
@NullMarked
package dev.nightjar.verify.fault;

import org.jspecify.annotations.NullMarked;

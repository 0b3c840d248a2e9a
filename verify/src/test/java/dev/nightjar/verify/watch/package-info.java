/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
/**
 * Watch scenarios over one raw stream: creation, history, ends, ids, progress, fragments, slow readers. Every class runs
 * its scenarios on every selected kind of server, each on a fresh store.
 */
@NullMarked
package dev.nightjar.verify.watch;

import org.jspecify.annotations.NullMarked;

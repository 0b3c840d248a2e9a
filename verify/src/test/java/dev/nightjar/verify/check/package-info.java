/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
/**
 * Recorders of what watches delivered, and checkers of what a watch promises. Start reading at {@code History} (what
 * happened), {@code WatchLog} (what one watch delivered) and {@code WatchRule} (one promise each).
 */
@NullMarked
package dev.nightjar.verify.check;

import org.jspecify.annotations.NullMarked;

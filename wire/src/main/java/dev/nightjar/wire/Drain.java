/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.wire;

/** The event that asks every connection to end when its calls have ended. */
enum Drain {
    INSTANCE
}

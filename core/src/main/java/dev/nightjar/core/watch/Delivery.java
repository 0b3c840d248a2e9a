/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.watch;

/** How far a watcher came with what was found for it; its next revision tells where it is. */
enum Delivery {
    /** It has got everything. */
    ALL,
    /** The stream takes no more. */
    FULL,
    /** From its next revision on it has to look again. */
    BEHIND,
    /** Its next revision has a response that is to be made while it is sent. */
    LONG
}

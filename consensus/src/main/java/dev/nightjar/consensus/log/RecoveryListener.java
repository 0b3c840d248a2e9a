/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.consensus.log;

/** Sees the entries that are not ordinary commands while the log is opened, in order. */
@FunctionalInterface
public interface RecoveryListener {

    /** An entry whose type is not {@link LogRecord#COMMAND} is in the log. */
    void found(LogRecord entry);
}

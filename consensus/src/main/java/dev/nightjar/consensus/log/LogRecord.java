/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.consensus.log;

import java.nio.ByteBuffer;

/**
 * One entry of the log.
 *
 * @param index its place; entries are numbered without gaps
 * @param term the term in which it was proposed
 * @param type what it is, for the owner of the log; {@link #COMMAND} is the common kind
 * @param payload its bytes, from position to limit
 */
public record LogRecord(long index, long term, byte type, ByteBuffer payload) {

    /** The type of ordinary entries. All other types are shown to the {@link RecoveryListener}. */
    public static final byte COMMAND = 0;
}

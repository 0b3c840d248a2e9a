/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.consensus;

/**
 * The log of a member that is about to start, read on a thread of its own while whoever starts the member has other things
 * to do. Nothing on the disk changes before {@link ConsensusEngine#start}. Used by the thread that starts the member.
 */
public interface LogReading extends AutoCloseable {

    /** The member does not start: gives the files free, without a change. Does nothing once it has started. */
    @Override
    void close();
}

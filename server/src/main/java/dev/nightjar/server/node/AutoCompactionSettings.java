/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.node;

/**
 * Whether and how a member compacts by itself.
 *
 * @param retention how much history is kept: nanoseconds or revisions, as the mode says; 0 for all of it
 */
public record AutoCompactionSettings(Mode mode, long retention) {

    public static final AutoCompactionSettings OFF = new AutoCompactionSettings(Mode.PERIODIC, 0);

    /** What the retention counts. */
    public enum Mode {
        /** The history of some time. */
        PERIODIC,
        /** A number of revisions. */
        REVISION
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.node;

/** Is told of work that reads or rewrites the whole store; on the thread that does it. */
public interface MaintenanceObserver {
    /** Nobody. */
    MaintenanceObserver NONE = new MaintenanceObserver() {};

    /** All that is replicated was hashed. */
    default void hashed(long nanos) {}

    /** The keys were hashed up to a revision. */
    default void hashedRevision(long nanos) {}

    /** A defragmentation begins. */
    default void defragmenting() {}

    /** A defragmentation has ended, however it did. */
    default void defragmented(long nanos) {}
}

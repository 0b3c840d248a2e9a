/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.mvcc;

/**
 * Memory that grows with what a request finds, not with what it says: taken before it is used, refused when there is
 * none left. Any thread.
 */
public interface MemoryBudget {
    /** For answers that are known to be small. */
    MemoryBudget UNLIMITED = new MemoryBudget() {
        @Override
        public boolean take(long bytes) {
            return true;
        }

        @Override
        public void release(long bytes) {
            // nothing is counted
        }
    };

    /** Takes room for so many bytes; false, with nothing taken, if there is none. */
    boolean take(long bytes);

    /** Gives room back. */
    void release(long bytes);
}

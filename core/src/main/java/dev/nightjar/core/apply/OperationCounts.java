/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.apply;

import java.util.concurrent.atomic.LongAdder;

/** How often what was done, for metrics. Counted by the apply thread and by readers; any thread may ask. */
public final class OperationCounts {
    private final LongAdder ranges = new LongAdder();
    private final LongAdder puts = new LongAdder();
    private final LongAdder deletes = new LongAdder();
    private final LongAdder txns = new LongAdder();
    private final LongAdder putBytes = new LongAdder();

    /** A range was read. */
    public void range() {
        ranges.increment();
    }

    /** A key was written, with {@code bytes} of key and value. */
    void put(long bytes) {
        puts.increment();
        putBytes.add(bytes);
    }

    /** A range was deleted, whatever number of keys it held. */
    void delete() {
        deletes.increment();
    }

    /** A transaction of several operations was carried out. */
    void txn() {
        txns.increment();
    }

    public long ranges() {
        return ranges.sum();
    }

    public long puts() {
        return puts.sum();
    }

    public long deletes() {
        return deletes.sum();
    }

    public long txns() {
        return txns.sum();
    }

    /** Bytes of keys and values written since the start. */
    public long putBytes() {
        return putBytes.sum();
    }
}

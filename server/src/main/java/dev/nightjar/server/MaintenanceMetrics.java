/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server;

import dev.nightjar.server.node.MaintenanceObserver;
import dev.nightjar.server.observe.Metrics;

/** Measures hashes and defragmentations. Any thread. */
record MaintenanceMetrics(Metrics metrics) implements MaintenanceObserver {

    @Override
    public void hashed(long nanos) {
        metrics.hashDuration.observe(Metrics.seconds(nanos));
    }

    @Override
    public void hashedRevision(long nanos) {
        metrics.hashRevDuration.observe(Metrics.seconds(nanos));
    }

    @Override
    public void defragmenting() {
        metrics.defragInFlight.inc();
    }

    @Override
    public void defragmented(long nanos) {
        metrics.defragInFlight.dec();
        metrics.defragDuration.observe(Metrics.seconds(nanos));
    }
}

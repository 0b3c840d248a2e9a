/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.observe;

import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.function.DoubleSupplier;

/** A gauge that is read where its value lives, once for each scrape; zero until it is told where. Any thread. */
public final class LiveGauge {
    private volatile DoubleSupplier source = () -> 0;

    LiveGauge(PrometheusRegistry registry, String name, String help) {
        GaugeWithCallback.builder()
                .name(name)
                .help(help)
                .callback(out -> out.call(source.getAsDouble()))
                .register(registry);
    }

    /** From now on shows what {@code source} says; it is asked on any thread and must not block. */
    public void follow(DoubleSupplier source) {
        this.source = source;
    }
}

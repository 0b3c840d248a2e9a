/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.observe;

import io.prometheus.metrics.model.registry.Collector;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricMetadata;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import java.util.List;
import java.util.function.DoubleSupplier;

/**
 * A counter that is kept elsewhere and read once for each scrape; zero until it is told where. Any thread.
 *
 * <p>The library's counter with a callback is not used because it forgets the {@code _total} at the end of its name.
 */
public final class LiveCounter {
    private static final String SUFFIX = "_total";

    private volatile DoubleSupplier source = () -> 0;

    LiveCounter(PrometheusRegistry registry, String name, String help) {
        String base = name.endsWith(SUFFIX) ? name.substring(0, name.length() - SUFFIX.length()) : name;
        MetricMetadata metadata = MetricMetadata.builder()
                .name(base)
                .expositionBaseName(name)
                .originalName(name)
                .help(help)
                .build();
        registry.register(new Collector() {
            @Override
            public MetricSnapshot collect() {
                CounterSnapshot.CounterDataPointSnapshot point =
                        new CounterSnapshot.CounterDataPointSnapshot(source.getAsDouble(), Labels.EMPTY, null, 0);
                return new CounterSnapshot(metadata, List.of(point));
            }
        });
    }

    /** From now on shows what {@code source} says, which never falls; it is asked on any thread and must not block. */
    public void follow(DoubleSupplier source) {
        this.source = source;
    }
}

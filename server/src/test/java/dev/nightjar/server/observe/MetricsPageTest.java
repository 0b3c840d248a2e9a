/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.observe;

import static org.assertj.core.api.Assertions.assertThat;

import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.SummarySnapshot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Keeps the page and the metrics equal. With {@code -Dnightjar.write.docs=true} it writes the page instead. */
class MetricsPageTest {
    private static final Path PAGE = Path.of("..", "docs", "reference", "metrics.md");

    @Test
    void the_reference_page_is_made_from_the_metrics() throws IOException {
        if (Boolean.getBoolean("nightjar.write.docs")) {
            Files.writeString(PAGE, page());
        }
        assertThat(Files.readString(PAGE))
                .as("stale page: run ./mvnw -pl server -am test -Dnightjar.write.docs=true")
                .isEqualTo(page());
    }

    private static String page() {
        StringBuilder out = new StringBuilder("""
                # Metrics

                <!-- Made from server/observe/Metrics by MetricsPageTest; change it there. -->

                `/metrics` on the client port gives them in Prometheus' text format. Names, types and buckets are etcd's, so
                dashboards and alert rules made for etcd work. Families named `go_…` are there because such dashboards expect
                them: they show the JVM's figure where it has one, else 0. `etcd_debugging_…` may change between releases.

                | Name | Type | Labels | Meaning |
                |---|---|---|---|
                """);
        Metrics metrics = new Metrics();
        new GrpcMetrics(metrics, List.of());
        metrics.families().stream()
                .sorted(Comparator.comparing(family -> family.getMetadata().getOriginalName()))
                .forEach(family -> out.append("| `%s` | %s | %s | %s |\n"
                        .formatted(
                                family.getMetadata().getOriginalName(),
                                type(family),
                                String.join(", ", labels(metrics, family)),
                                family.getMetadata().getHelp())));
        return out.toString();
    }

    private static List<String> labels(Metrics metrics, MetricSnapshot family) {
        return family.getDataPoints().isEmpty()
                ? metrics.labels(family.getMetadata().getOriginalName())
                : family.getDataPoints().getFirst().getLabels().stream()
                        .map(label -> label.getName())
                        .toList();
    }

    private static String type(MetricSnapshot family) {
        return switch (family) {
            case CounterSnapshot _ -> "counter";
            case GaugeSnapshot _ -> "gauge";
            case HistogramSnapshot _ -> "histogram";
            case SummarySnapshot _ -> "summary";
            default -> throw new AssertionError(family.getClass());
        };
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.observe;

import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.DataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import io.prometheus.metrics.model.snapshots.SummarySnapshot;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/**
 * Prometheus' text format 0.0.4, byte for byte as a Go program writes it. Stateless.
 *
 * <p>The library's own writer is not used because it adds {@code _total} to each counter that lacks it, and etcd has
 * such counters ({@code etcd_server_health_success}).
 */
final class MetricsText {
    static final String CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

    private MetricsText() {}

    static String write(MetricSnapshots snapshots) {
        StringBuilder out = new StringBuilder(64 * 1024);
        snapshots.stream().sorted(Comparator.comparing(MetricsText::name)).forEach(family -> append(out, family));
        return out.toString();
    }

    private static String name(MetricSnapshot family) {
        return family.getMetadata().getOriginalName();
    }

    private static void append(StringBuilder out, MetricSnapshot family) {
        String name = name(family);
        switch (family) {
            case CounterSnapshot counter -> {
                head(out, family, "counter");
                counter.getDataPoints().forEach(point -> sample(out, name, point.getLabels(), point.getValue()));
            }
            case GaugeSnapshot gauge -> {
                head(out, family, "gauge");
                gauge.getDataPoints().forEach(point -> sample(out, name, point.getLabels(), point.getValue()));
            }
            case HistogramSnapshot histogram -> {
                head(out, family, "histogram");
                histogram.getDataPoints().forEach(point -> appendHistogram(out, name, point));
            }
            case SummarySnapshot summary -> {
                head(out, family, "summary");
                summary.getDataPoints()
                        .forEach(point -> sumAndCount(out, name, point, point.getSum(), (double) point.getCount()));
            }
            default -> throw new IllegalStateException("no text form for " + family.getClass());
        }
    }

    private static void appendHistogram(
            StringBuilder out, String name, HistogramSnapshot.HistogramDataPointSnapshot point) {
        ClassicHistogramBuckets buckets = point.getClassicBuckets();
        double below = 0;
        for (int i = 0; i < buckets.size(); i++) {
            below += (double) buckets.getCount(i);
            StringBuilder bound = new StringBuilder();
            GoFloat.append(bound, buckets.getUpperBound(i));
            sample(out, name + "_bucket", point.getLabels(), bound.toString(), below);
        }
        sumAndCount(out, name, point, point.getSum(), below);
    }

    private static void sumAndCount(StringBuilder out, String name, DataPointSnapshot point, double sum, double count) {
        sample(out, name + "_sum", point.getLabels(), sum);
        sample(out, name + "_count", point.getLabels(), count);
    }

    private static void head(StringBuilder out, MetricSnapshot family, String type) {
        String name = name(family);
        String help = family.getMetadata().getHelp();
        out.append("# HELP ").append(name).append(' ');
        out.append((help == null ? "" : help).replace("\\", "\\\\").replace("\n", "\\n"));
        out.append("\n# TYPE ").append(name).append(' ').append(type).append('\n');
    }

    private static void sample(StringBuilder out, String name, Labels labels, double value) {
        sample(out, name, labels, null, value);
    }

    private static void sample(StringBuilder out, String name, Labels labels, @Nullable String bound, double value) {
        out.append(name);
        char next = '{';
        for (int i = 0; i < labels.size(); i++) {
            out.append(next).append(labels.getName(i)).append("=\"");
            quoted(out, labels.getValue(i));
            next = ',';
        }
        if (bound != null) {
            out.append(next).append("le=\"").append(bound).append('"');
            next = ',';
        }
        if (next == ',') {
            out.append('}');
        }
        out.append(' ');
        GoFloat.append(out, value);
        out.append('\n');
    }

    private static void quoted(StringBuilder out, String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '\\' -> out.append("\\\\");
                case '"' -> out.append("\\\"");
                case '\n' -> out.append("\\n");
                default -> out.append(c);
            }
        }
        out.append('"');
    }
}

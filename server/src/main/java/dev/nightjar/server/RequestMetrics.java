/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server;

import dev.nightjar.core.apply.ApiError;
import dev.nightjar.core.apply.CommandType;
import dev.nightjar.core.apply.OperationCounts;
import dev.nightjar.server.observe.Metrics;
import dev.nightjar.server.rpc.RequestObserver;
import io.prometheus.metrics.core.datapoints.CounterDataPoint;
import io.prometheus.metrics.core.datapoints.DistributionDataPoint;
import java.util.EnumMap;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Puts the durations of requests into their histograms. Immutable; called on the loops. */
final class RequestMetrics implements RequestObserver {
    /** The code of all errors that say that the log did not carry a write; other errors are results. */
    private static final int UNAVAILABLE = 14;

    private record Series(DistributionDataPoint success, DistributionDataPoint failure) {
        void observe(boolean succeeded, long nanos) {
            (succeeded ? success : failure).observe(Metrics.seconds(nanos));
        }
    }

    private final EnumMap<CommandType, Series> writes = new EnumMap<>(CommandType.class);
    private final Series ranges;
    private final Series rangeReads;
    private final CounterDataPoint proposalsFailed;
    private final OperationCounts counts;

    RequestMetrics(Metrics metrics, OperationCounts counts) {
        for (CommandType type : CommandType.values()) {
            writes.put(type, requests(metrics, name(type)));
        }
        this.ranges = requests(metrics, "Range");
        this.rangeReads = new Series(metrics.rangeDuration(true), metrics.rangeDuration(false));
        this.proposalsFailed = metrics.proposalsFailed;
        this.counts = counts;
    }

    private static Series requests(Metrics metrics, String type) {
        return new Series(metrics.requestDuration(type, true), metrics.requestDuration(type, false));
    }

    private static String name(CommandType type) {
        return switch (type) {
            case PUT -> "Put";
            case DELETE_RANGE -> "DeleteRange";
            case TXN -> "Txn";
            case COMPACTION -> "Compaction";
            case MEMBER_SET -> "ClusterMemberAttrSet";
            case ALARM -> "Alarm";
        };
    }

    @Override
    public void written(CommandType type, @Nullable ApiError error, long nanos) {
        Objects.requireNonNull(writes.get(type)).observe(error == null, nanos);
        if (error != null && error.code() == UNAVAILABLE) {
            proposalsFailed.inc();
        }
    }

    @Override
    public void ranged(boolean success, long nanos) {
        counts.range();
        ranges.observe(success, nanos);
        rangeReads.observe(success, nanos);
    }
}

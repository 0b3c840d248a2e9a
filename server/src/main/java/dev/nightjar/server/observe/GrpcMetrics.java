/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.observe;

import dev.nightjar.wire.WireObserver;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.prometheus.metrics.core.datapoints.CounterDataPoint;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Counts calls and messages for each method, under the names that Go servers use. Called on the event loops; the series
 * of all served methods exist from the start, each with every status code, so counting is a look-up and an addition.
 */
public final class GrpcMetrics implements WireObserver {
    static final String[] LABELS = {"grpc_method", "grpc_service", "grpc_type"};
    static final String[] LABELS_AND_CODE = {"grpc_code", "grpc_method", "grpc_service", "grpc_type"};

    private final Metrics metrics;
    private final Map<String, Series> byMethod;

    /**
     * Creates the series.
     *
     * @param methods all that the port serves
     */
    public GrpcMetrics(Metrics metrics, Collection<? extends MethodDescriptor<?, ?>> methods) {
        this.metrics = metrics;
        Map<String, Series> series = new HashMap<>();
        for (MethodDescriptor<?, ?> method : methods) {
            series.put(method.getFullMethodName(), new Series(metrics, method));
        }
        this.byMethod = Map.copyOf(series);
    }

    @Override
    public void callStarted(String fullMethod) {
        Series series = byMethod.get(fullMethod);
        if (series != null) {
            series.started.inc();
        }
    }

    @Override
    public void callEnded(String fullMethod, Status.Code code, long nanos) {
        Series series = byMethod.get(fullMethod);
        if (series != null) {
            series.handled(code).inc();
        }
    }

    @Override
    public void messageReceived(String fullMethod, int bytes) {
        metrics.clientBytesReceived.inc(bytes);
        Series series = byMethod.get(fullMethod);
        if (series != null) {
            series.received.inc();
        }
    }

    @Override
    public void messagesSent(String fullMethod, int messages, int bytes) {
        metrics.clientBytesSent.inc(bytes);
        Series series = byMethod.get(fullMethod);
        if (series != null) {
            series.sent.inc(messages);
        }
    }

    /** The series of one method. */
    private static final class Series {
        final CounterDataPoint started;
        final CounterDataPoint received;
        final CounterDataPoint sent;
        private final Map<Status.Code, CounterDataPoint> handled = new EnumMap<>(Status.Code.class);

        Series(Metrics metrics, MethodDescriptor<?, ?> method) {
            String type = typeName(method.getType());
            String service = text(method.getServiceName());
            String name = text(method.getBareMethodName());
            started = metrics.grpcStarted.labelValues(name, service, type);
            received = metrics.grpcReceived.labelValues(name, service, type);
            sent = metrics.grpcSent.labelValues(name, service, type);
            for (Status.Code code : Status.Code.values()) {
                handled.put(code, metrics.grpcHandled.labelValues(codeName(code), name, service, type));
            }
        }

        CounterDataPoint handled(Status.Code code) {
            CounterDataPoint point = handled.get(code);
            if (point == null) {
                throw new IllegalStateException("no series for " + code);
            }
            return point;
        }

        private static String text(@Nullable String part) {
            return part == null ? "" : part;
        }
    }

    private static String typeName(MethodDescriptor.MethodType type) {
        return switch (type) {
            case UNARY -> "unary";
            case CLIENT_STREAMING -> "client_stream";
            case SERVER_STREAMING -> "server_stream";
            case BIDI_STREAMING -> "bidi_stream";
            case UNKNOWN -> "unknown";
        };
    }

    /** The code's name in Go: {@code NOT_FOUND} is {@code NotFound}, but {@code OK} stays. */
    static String codeName(Status.Code code) {
        if (code == Status.Code.OK) {
            return "OK";
        }
        if (code == Status.Code.CANCELLED) {
            return "Canceled";
        }
        StringBuilder name = new StringBuilder();
        for (String word : code.name().split("_", -1)) {
            name.append(word.charAt(0)).append(word.substring(1).toLowerCase(Locale.ROOT));
        }
        return name.toString();
    }
}

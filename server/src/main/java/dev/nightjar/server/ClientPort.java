/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server;

import dev.nightjar.api.etcdserverpb.ClusterGrpc;
import dev.nightjar.api.etcdserverpb.KVGrpc;
import dev.nightjar.api.etcdserverpb.LeaseGrpc;
import dev.nightjar.api.etcdserverpb.MaintenanceGrpc;
import dev.nightjar.api.etcdserverpb.WatchGrpc;
import dev.nightjar.api.health.HealthGrpc;
import dev.nightjar.server.config.ServerConfig;
import dev.nightjar.server.config.ServerUrl;
import dev.nightjar.server.node.Node;
import dev.nightjar.server.rpc.CallGuard;
import dev.nightjar.server.rpc.ClusterService;
import dev.nightjar.server.rpc.HeaderWriter;
import dev.nightjar.server.rpc.HealthService;
import dev.nightjar.server.rpc.KvService;
import dev.nightjar.server.rpc.MaintenanceService;
import dev.nightjar.server.rpc.RequestObserver;
import dev.nightjar.server.rpc.Services;
import dev.nightjar.server.rpc.WatchServer;
import dev.nightjar.wire.EventLoops;
import dev.nightjar.wire.HttpHandler;
import dev.nightjar.wire.ListenException;
import dev.nightjar.wire.WireLimits;
import dev.nightjar.wire.WireObserver;
import dev.nightjar.wire.WireServer;
import io.grpc.MethodDescriptor;
import java.util.List;
import java.util.Set;

/** The port for clients: what is served there and within which limits. Used by the thread that starts the server. */
final class ClientPort {
    /** File descriptors that are kept back for the server's own files. */
    private static final int OWN_DESCRIPTORS = 150;

    private ClientPort() {}

    static WireServer open(ServerConfig config, Node node, EventLoops loops, HeaderWriter headers, Outside outside)
            throws StartFailure {
        WireServer.Builder builder = WireServer.builder(loops)
                .limits(limits(config))
                .observer(outside.wire())
                .http(outside.http());
        ServerConfig.Requests requests = config.requests();
        Services.of(
                        new CallGuard(node::leaderKnown, outside.calls()),
                        new KvService(
                                node, headers, outside.requests(), requests.maxRequestBytes(), requests.maxTxnOps()),
                        new WatchServer(node, headers),
                        new MaintenanceService(node, headers),
                        new ClusterService(node, headers))
                .forEach(builder::raw);
        builder.service(new HealthService().bindService());
        for (ServerUrl url : config.client().listenUrls()) {
            builder.listen(ListenAddresses.of(url));
        }
        try {
            return builder.start();
        } catch (ListenException e) {
            throw new StartFailure(String.valueOf(e.getMessage()), e);
        }
    }

    /**
     * What the port reports to and what it serves besides gRPC.
     *
     * @param wire counts connections, calls and messages
     * @param calls counts calls by kind and client version
     * @param requests is told how long requests took
     * @param http serves what is not gRPC
     */
    record Outside(WireObserver wire, CallGuard.Counter calls, RequestObserver requests, HttpHandler http) {}

    /** Methods whose calls last until the client ends them. */
    static final Set<String> ENDLESS = Set.of(
            WatchGrpc.getWatchMethod().getFullMethodName(),
            LeaseGrpc.getLeaseKeepAliveMethod().getFullMethodName(),
            HealthGrpc.getWatchMethod().getFullMethodName());

    /** The methods that are served, for their metrics. */
    static List<MethodDescriptor<?, ?>> methods() {
        return List.of(
                KVGrpc.getRangeMethod(),
                KVGrpc.getRangeStreamMethod(),
                KVGrpc.getPutMethod(),
                KVGrpc.getDeleteRangeMethod(),
                KVGrpc.getTxnMethod(),
                KVGrpc.getCompactMethod(),
                WatchGrpc.getWatchMethod(),
                MaintenanceGrpc.getStatusMethod(),
                MaintenanceGrpc.getAlarmMethod(),
                MaintenanceGrpc.getHashMethod(),
                MaintenanceGrpc.getHashKVMethod(),
                MaintenanceGrpc.getDefragmentMethod(),
                ClusterGrpc.getMemberListMethod(),
                HealthGrpc.getCheckMethod(),
                HealthGrpc.getWatchMethod());
    }

    private static WireLimits limits(ServerConfig config) {
        WireLimits defaults = WireLimits.defaults();
        ServerConfig.Grpc grpc = config.client().grpc();
        return new WireLimits(
                config.requests().maxMessageBytes(),
                defaults.maxHeaderListBytes(),
                grpc.maxConcurrentStreams(),
                Math.max(1, DescriptorLimit.get() - OWN_DESCRIPTORS),
                grpc.keepaliveMinTime(),
                grpc.keepaliveInterval(),
                grpc.keepaliveTimeout(),
                defaults.streamQueueBytes());
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.rpc;

import dev.nightjar.core.apply.ApiError;
import dev.nightjar.wire.RawCall;
import dev.nightjar.wire.RawHandler;
import io.grpc.Metadata;
import io.netty.handler.codec.http2.Http2Headers;
import java.util.LinkedHashMap;
import java.util.Map;

/** All methods that are served at the level of bytes, by their full names. Built once at the start. */
public final class Services {
    private final CallGuard guard;
    private final Map<String, RawHandler> handlers = new LinkedHashMap<>();

    Services(CallGuard guard) {
        this.guard = guard;
    }

    /** The handlers of a member. */
    public static Map<String, RawHandler> of(
            CallGuard guard, KvService kv, WatchServer watch, MaintenanceService maintenance, ClusterService cluster) {
        HashService hashes = maintenance.hashes();
        Services services = new Services(guard);
        services.unary("etcdserverpb.KV/Range", kv::range);
        services.stream("etcdserverpb.KV/RangeStream", kv::rangeStream);
        services.unary("etcdserverpb.KV/Put", kv::put);
        services.unary("etcdserverpb.KV/DeleteRange", kv::deleteRange);
        services.unary("etcdserverpb.KV/Txn", kv::txn);
        services.unary("etcdserverpb.KV/Compact", kv::compact);
        services.stream("etcdserverpb.Watch/Watch", watch::watch);
        services.unary("etcdserverpb.Maintenance/Status", maintenance::status);
        services.unary("etcdserverpb.Maintenance/Alarm", maintenance::alarm);
        services.unary("etcdserverpb.Maintenance/Hash", hashes::hash);
        services.unary("etcdserverpb.Maintenance/HashKV", hashes::hashKv);
        services.unary("etcdserverpb.Maintenance/Defragment", maintenance::defragment);
        services.unary("etcdserverpb.Cluster/MemberList", cluster::memberList);
        return services.handlers;
    }

    private void unary(String method, UnaryCall.Handler handler) {
        guarded(method, false, (call, headers) -> new UnaryCall(call, handler));
    }

    private void stream(String method, RawHandler handler) {
        guarded(method, true, handler);
    }

    private void guarded(String method, boolean stream, RawHandler handler) {
        handlers.put(method, (RawCall call, Http2Headers headers) -> {
            ApiError refused = guard.check(headers, stream);
            if (refused != null) {
                call.finish(Errors.status(refused), new Metadata());
                return RawCall.Listener.DEAF;
            }
            return handler.start(call, headers);
        });
    }
}

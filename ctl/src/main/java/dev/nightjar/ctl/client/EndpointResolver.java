/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.ctl.client;

import io.grpc.Attributes;
import io.grpc.EquivalentAddressGroup;
import io.grpc.NameResolver;
import io.grpc.StatusOr;
import java.net.InetSocketAddress;
import java.util.List;

/** Gives gRPC a fixed list of endpoints, so that it takes the next when one is down; owned by gRPC's synchronisation context. */
final class EndpointResolver extends NameResolver {

    private final List<Endpoint> endpoints;

    EndpointResolver(List<Endpoint> endpoints) {
        this.endpoints = endpoints;
    }

    @Override
    public String getServiceAuthority() {
        return endpoints.getFirst().authority();
    }

    @Override
    public void start(Listener2 listener) {
        List<EquivalentAddressGroup> addresses = endpoints.stream()
                .map(endpoint -> new EquivalentAddressGroup(
                        new InetSocketAddress(endpoint.host(), endpoint.port()),
                        Attributes.newBuilder()
                                .set(EquivalentAddressGroup.ATTR_AUTHORITY_OVERRIDE, endpoint.authority())
                                .build()))
                .toList();
        listener.onResult(ResolutionResult.newBuilder()
                .setAddressesOrError(StatusOr.fromValue(addresses))
                .build());
    }

    @Override
    public void shutdown() {
        // Nothing is held.
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.ctl.client;

import io.grpc.NameResolver;
import io.grpc.NameResolverProvider;
import io.grpc.NameResolverRegistry;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Teaches gRPC targets of the form {@code nightjar-endpoints:///host:port,host:port}; stateless, any thread. */
final class EndpointResolverProvider extends NameResolverProvider {

    private static final String SCHEME = "nightjar-endpoints";
    private static final int DEFAULT_PRIORITY = 5;

    static {
        NameResolverRegistry.getDefaultRegistry().register(new EndpointResolverProvider());
    }

    private EndpointResolverProvider() {}

    /** The target for a channel over the endpoints. */
    static String target(List<Endpoint> endpoints) {
        String path = "/"
                + String.join(",", endpoints.stream().map(Endpoint::authority).toList());
        try {
            return new URI(SCHEME, "", path, null).toString();
        } catch (URISyntaxException e) {
            throw new IllegalArgumentException("endpoints that make no target: " + endpoints, e);
        }
    }

    @Override
    public @Nullable NameResolver newNameResolver(URI target, NameResolver.Args args) {
        if (!SCHEME.equals(target.getScheme())) {
            return null;
        }
        return new EndpointResolver(Stream.of(target.getPath().substring(1).split(",", -1))
                .map(Endpoint::parse)
                .toList());
    }

    @Override
    public Collection<Class<? extends SocketAddress>> getProducedSocketAddressTypes() {
        return Set.of(InetSocketAddress.class);
    }

    @Override
    public String getDefaultScheme() {
        return SCHEME;
    }

    @Override
    protected boolean isAvailable() {
        return true;
    }

    @Override
    protected int priority() {
        // Below that of DNS, which stays the default for targets without a scheme.
        return DEFAULT_PRIORITY - 1;
    }
}

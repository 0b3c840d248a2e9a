/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.ctl.client;

import dev.nightjar.api.etcdserverpb.AuthGrpc;
import dev.nightjar.api.etcdserverpb.AuthenticateRequest;
import dev.nightjar.api.etcdserverpb.ClusterGrpc;
import dev.nightjar.api.etcdserverpb.KVGrpc;
import dev.nightjar.api.etcdserverpb.MaintenanceGrpc;
import dev.nightjar.api.etcdserverpb.WatchGrpc;
import dev.nightjar.ctl.client.ConnectionOptions.Credentials;
import dev.nightjar.ctl.client.Endpoint.Security;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.AbstractStub;
import io.grpc.stub.MetadataUtils;
import io.netty.channel.ChannelOption;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;

/**
 * A channel to the cluster and the stubs on it; may be shared by threads.
 *
 * <p>Nothing is dialled before the first call. Calls wait for a connection to any of the endpoints, up to the command timeout.
 */
public final class Connection implements AutoCloseable {

    private static final Metadata.Key<String> TOKEN = key("token");
    private static final Metadata.Key<String> CLIENT_VERSION = key("client-api-version");
    private static final Metadata.Key<String> HAS_LEADER = key("hasleader");
    private static final String API_VERSION = "3.7";
    private static final String NOT_ENABLED = "etcdserver: authentication is not enabled";

    /** Reads may be asked again while there is no leader; writes may not, for they might be done twice. */
    private static final Map<String, ?> RETRY_READS = Map.of(
            "methodConfig",
            List.of(Map.of(
                    "name",
                    List.of(
                            Map.of("service", "etcdserverpb.KV", "method", "Range"),
                            Map.of("service", "etcdserverpb.Cluster", "method", "MemberList"),
                            Map.of("service", "etcdserverpb.Maintenance", "method", "Status")),
                    "retryPolicy",
                    Map.of(
                            "maxAttempts",
                            5.0,
                            "initialBackoff",
                            "0.1s",
                            "maxBackoff",
                            "2s",
                            "backoffMultiplier",
                            2.0,
                            "retryableStatusCodes",
                            List.of("UNAVAILABLE")))));

    private final ManagedChannel channel;
    private final Duration commandTimeout;
    private final Metadata headers = new Metadata();

    private Connection(ManagedChannel channel, Duration commandTimeout) {
        this.channel = channel;
        this.commandTimeout = commandTimeout;
        headers.put(CLIENT_VERSION, API_VERSION);
    }

    /**
     * Prepares a channel and, if there are credentials, signs in.
     *
     * @throws CtlException if the options make no sense or signing in fails
     */
    public static Connection open(ConnectionOptions options) {
        Connection connection = new Connection(channel(options), options.commandTimeout());
        Credentials credentials = options.credentials();
        if (credentials != null) {
            try {
                connection.signIn(credentials);
            } catch (CtlException e) {
                connection.close();
                throw e;
            }
        }
        return connection;
    }

    /** Calls on keys, each within the command timeout from now. */
    public KVGrpc.KVBlockingStub keys() {
        return limited(KVGrpc.newBlockingStub(channel));
    }

    /** Calls on members, each within the command timeout from now. */
    public ClusterGrpc.ClusterBlockingStub cluster() {
        return limited(ClusterGrpc.newBlockingStub(channel));
    }

    /** Calls of operators, each within the command timeout from now. */
    public MaintenanceGrpc.MaintenanceBlockingStub maintenance() {
        return limited(MaintenanceGrpc.newBlockingStub(channel));
    }

    /** Watch streams without a limit of time, which end when their member loses sight of a leader. */
    public WatchGrpc.WatchStub watch() {
        Metadata watchHeaders = new Metadata();
        watchHeaders.merge(headers);
        watchHeaders.put(HAS_LEADER, "true");
        return WatchGrpc.newStub(channel)
                .withWaitForReady()
                .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(watchHeaders));
    }

    @Override
    public void close() {
        channel.shutdownNow();
    }

    private <S extends AbstractStub<S>> S limited(S stub) {
        return stub.withWaitForReady()
                .withDeadlineAfter(commandTimeout.toNanos(), TimeUnit.NANOSECONDS)
                .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(headers));
    }

    private void signIn(Credentials credentials) {
        try {
            headers.put(
                    TOKEN,
                    limited(AuthGrpc.newBlockingStub(channel))
                            .authenticate(AuthenticateRequest.newBuilder()
                                    .setName(credentials.user())
                                    .setPassword(credentials.password())
                                    .build())
                            .getToken());
        } catch (StatusRuntimeException e) {
            Status status = e.getStatus();
            if (!NOT_ENABLED.equals(status.getDescription())) {
                throw new CtlException(ExitCode.BAD_CONNECTION, RpcErrors.text(status), e);
            }
        }
    }

    private static ManagedChannel channel(ConnectionOptions options) {
        NettyChannelBuilder builder = NettyChannelBuilder.forTarget(
                        EndpointResolverProvider.target(options.endpoints()))
                .withOption(
                        ChannelOption.CONNECT_TIMEOUT_MILLIS,
                        Math.toIntExact(Math.clamp(options.dialTimeout().toMillis(), 1, Integer.MAX_VALUE)))
                .keepAliveTime(options.keepAliveTime().toNanos(), TimeUnit.NANOSECONDS)
                .keepAliveTimeout(options.keepAliveTimeout().toNanos(), TimeUnit.NANOSECONDS)
                .defaultServiceConfig(RETRY_READS)
                .maxInboundMessageSize(Integer.MAX_VALUE);
        if (!usesTls(options)) {
            return builder.usePlaintext().build();
        }
        try {
            return builder.sslContext(
                            GrpcSslContexts.configure(ssl(options.tls())).build())
                    .build();
        } catch (SSLException | IllegalArgumentException e) {
            throw new CtlException(ExitCode.BAD_CONNECTION, "cannot set up TLS: " + e.getMessage(), e);
        }
    }

    private static boolean usesTls(ConnectionOptions options) {
        List<Security> wishes = new ArrayList<>();
        for (Endpoint endpoint : options.endpoints()) {
            Security wish = endpoint.security();
            if (wish == Security.UNSAID) {
                wish = options.tls().asked() ? Security.TLS : Security.PLAIN;
            }
            wishes.add(wish);
        }
        if (wishes.stream().distinct().count() > 1) {
            throw new CtlException(
                    ExitCode.BAD_CONNECTION, "endpoints with TLS and endpoints without cannot be used together");
        }
        return wishes.getFirst() == Security.TLS;
    }

    private static SslContextBuilder ssl(ConnectionOptions.Tls tls) {
        SslContextBuilder builder = SslContextBuilder.forClient();
        if (tls.trustAll()) {
            builder.trustManager(InsecureTrustManagerFactory.INSTANCE);
        } else if (tls.trustedCertificates() != null) {
            builder.trustManager(tls.trustedCertificates().toFile());
        }
        if (tls.certificate() != null && tls.key() != null) {
            builder.keyManager(tls.certificate().toFile(), tls.key().toFile());
        } else if (tls.certificate() != null || tls.key() != null) {
            throw new CtlException(ExitCode.BAD_ARGUMENTS, "--cert and --key must be given together");
        }
        return builder;
    }

    private static Metadata.Key<String> key(String name) {
        return Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER);
    }
}

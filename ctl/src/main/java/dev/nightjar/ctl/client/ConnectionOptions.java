/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.ctl.client;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How to reach the cluster; immutable, any thread.
 *
 * @param dialTimeout how long one attempt to connect to one endpoint may take
 * @param commandTimeout how long one call may take, waiting for a connection included
 * @param keepAliveTime after how long without a sign of life a busy connection is tested
 * @param keepAliveTimeout how long such a test may take
 * @param credentials who calls; null for nobody in particular
 */
public record ConnectionOptions(
        List<Endpoint> endpoints,
        Duration dialTimeout,
        Duration commandTimeout,
        Duration keepAliveTime,
        Duration keepAliveTimeout,
        Tls tls,
        @Nullable Credentials credentials) {

    /**
     * What is known for TLS; all null and false when nothing was said.
     *
     * @param trustedCertificates a file with the certificates to trust instead of those of the system
     * @param certificate a file with the certificate of the client
     * @param key a file with the private key of the client
     * @param trustAll take any certificate of the server
     */
    public record Tls(
            @Nullable Path trustedCertificates,
            @Nullable Path certificate,
            @Nullable Path key,
            boolean trustAll) {

        boolean asked() {
            return trustedCertificates != null || certificate != null || key != null || trustAll;
        }
    }

    /** A user and the password in clear. */
    public record Credentials(String user, String password) {

        @Override
        public String toString() {
            return "Credentials[user=" + user + "]";
        }
    }

    /** The same, but for one endpoint only. */
    public ConnectionOptions only(Endpoint endpoint) {
        return withEndpoints(List.of(endpoint));
    }

    /** The same, but for other endpoints. */
    public ConnectionOptions withEndpoints(List<Endpoint> others) {
        return new ConnectionOptions(
                others, dialTimeout, commandTimeout, keepAliveTime, keepAliveTimeout, tls, credentials);
    }
}

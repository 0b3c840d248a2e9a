/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.ctl.command;

import dev.nightjar.ctl.client.ConnectionOptions;
import dev.nightjar.ctl.client.ConnectionOptions.Credentials;
import dev.nightjar.ctl.client.ConnectionOptions.Tls;
import dev.nightjar.ctl.client.CtlException;
import dev.nightjar.ctl.client.Endpoint;
import dev.nightjar.ctl.client.ExitCode;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;

/** The options of the tool that say how to reach the cluster; owned by the thread that runs the command. */
final class ConnectionFlags {

    @Option(
            names = "--endpoints",
            split = ",",
            scope = ScopeType.INHERIT,
            paramLabel = "LIST",
            description = "Where the members listen: host:port, http://host:port or https://host:port, with commas."
                    + " Default: ${DEFAULT-VALUE}.",
            defaultValue = "127.0.0.1:2379")
    private List<String> endpoints = List.of();

    @Option(
            names = "--dial-timeout",
            scope = ScopeType.INHERIT,
            paramLabel = "TIME",
            description = "How long one attempt to connect may take. Default: ${DEFAULT-VALUE}.",
            defaultValue = "2s")
    private Duration dialTimeout = Duration.ZERO;

    @Option(
            names = "--command-timeout",
            scope = ScopeType.INHERIT,
            paramLabel = "TIME",
            description = "How long one call may take; not for watch. Default: ${DEFAULT-VALUE}.",
            defaultValue = "5s")
    private Duration commandTimeout = Duration.ZERO;

    @Option(
            names = "--keepalive-time",
            scope = ScopeType.INHERIT,
            paramLabel = "TIME",
            description = "After how long a silent connection is tested; 10s at least. Default: ${DEFAULT-VALUE}.",
            defaultValue = "10s")
    private Duration keepAliveTime = Duration.ZERO;

    @Option(
            names = "--keepalive-timeout",
            scope = ScopeType.INHERIT,
            paramLabel = "TIME",
            description = "How long the test of a silent connection may take. Default: ${DEFAULT-VALUE}.",
            defaultValue = "6s")
    private Duration keepAliveTimeout = Duration.ZERO;

    @Option(
            names = "--user",
            scope = ScopeType.INHERIT,
            paramLabel = "NAME[:PASSWORD]",
            description = "The user to sign in as.")
    private @Nullable String user;

    @Option(
            names = "--password",
            scope = ScopeType.INHERIT,
            paramLabel = "PASSWORD",
            description = "The password of --user, if it is not given there.")
    private @Nullable String password;

    @Option(
            names = "--cacert",
            scope = ScopeType.INHERIT,
            paramLabel = "FILE",
            description = "Certificates to trust when connecting with TLS.")
    private @Nullable Path trustedCertificates;

    @Option(
            names = "--cert",
            scope = ScopeType.INHERIT,
            paramLabel = "FILE",
            description = "The certificate that this client shows.")
    private @Nullable Path certificate;

    @Option(names = "--key", scope = ScopeType.INHERIT, paramLabel = "FILE", description = "The private key of --cert.")
    private @Nullable Path key;

    @Option(
            names = "--insecure-skip-tls-verify",
            scope = ScopeType.INHERIT,
            description = "Take any certificate of the server. For tests only.")
    private boolean trustAll;

    /** How to reach the cluster. */
    ConnectionOptions options() {
        return new ConnectionOptions(
                Endpoint.parseAll(endpoints),
                dialTimeout,
                commandTimeout,
                keepAliveTime,
                keepAliveTimeout,
                new Tls(trustedCertificates, certificate, key, trustAll),
                credentials());
    }

    private @Nullable Credentials credentials() {
        String name = user;
        if (name == null) {
            return null;
        }
        if (password != null) {
            return new Credentials(name, password);
        }
        int colon = name.indexOf(':');
        if (colon < 0) {
            throw new CtlException(
                    ExitCode.BAD_ARGUMENTS, "a password is needed: give --user name:password, or --password");
        }
        return new Credentials(name.substring(0, colon), name.substring(colon + 1));
    }

    /** The endpoints as the user gave them. */
    String endpoints() {
        return String.join(",", endpoints);
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.ctl.command;

import dev.nightjar.ctl.client.Connection;
import dev.nightjar.ctl.client.ConnectionOptions;
import dev.nightjar.ctl.client.ConnectionOptions.Credentials;
import dev.nightjar.ctl.client.ConnectionOptions.Tls;
import dev.nightjar.ctl.client.CtlException;
import dev.nightjar.ctl.client.Endpoint;
import dev.nightjar.ctl.client.ExitCode;
import dev.nightjar.ctl.print.Output;
import dev.nightjar.ctl.print.OutputFormat;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** The tool as a whole: the options that every command takes, and what they stand for. Owned by the thread that runs the command. */
@Command(
        name = "nightjar ctl",
        customSynopsis = "nightjar ctl [OPTION...] COMMAND",
        description = "A command line client for servers that speak the etcd v3 API.",
        mixinStandardHelpOptions = false,
        subcommands = {
            PutCommand.class,
            GetCommand.class,
            DelCommand.class,
            TxnCommand.class,
            WatchCommand.class,
            CompactionCommand.class,
            EndpointCommand.class,
            MemberCommand.class,
            StatusCommand.class,
            VersionCommand.class
        })
public final class RootCommand implements Runnable {

    private final Console console;

    @Spec
    private @Nullable CommandSpec spec;

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
            names = {"-w", "--write-out"},
            scope = ScopeType.INHERIT,
            paramLabel = "FORMAT",
            description = "How to print: simple, fields, json, protobuf or table. Default: ${DEFAULT-VALUE}.",
            defaultValue = "simple")
    private String writeOut = "simple";

    @Option(names = "--hex", scope = ScopeType.INHERIT, description = "Print keys, values and ids in hexadecimal.")
    private boolean hex;

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

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            scope = ScopeType.INHERIT,
            description = "Print this help.")
    @SuppressWarnings("UnusedVariable") // The parser acts on it.
    private boolean help;

    public RootCommand(Console console) {
        this.console = console;
    }

    /** Without a command: prints the help. */
    @Override
    public void run() {
        if (spec != null) {
            spec.commandLine().usage(console.out());
        }
    }

    /** The endpoints as the user gave them. */
    public String endpoints() {
        return String.join(",", endpoints);
    }

    Console console() {
        return console;
    }

    boolean hex() {
        return hex;
    }

    /** The chosen format. */
    OutputFormat format() {
        return OutputFormat.of(writeOut);
    }

    Output output() {
        return new Output(console.out(), console.err());
    }

    /** How to reach the cluster. */
    ConnectionOptions connectionOptions() {
        return new ConnectionOptions(
                Endpoint.parseAll(endpoints),
                dialTimeout,
                commandTimeout,
                keepAliveTime,
                keepAliveTimeout,
                new Tls(trustedCertificates, certificate, key, trustAll),
                credentials());
    }

    /** A connection to any of the endpoints. */
    Connection connect() {
        return Connection.open(connectionOptions());
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
}

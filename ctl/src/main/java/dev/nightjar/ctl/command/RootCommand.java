/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.ctl.command;

import dev.nightjar.ctl.client.Connection;
import dev.nightjar.ctl.client.ConnectionOptions;
import dev.nightjar.ctl.print.Output;
import dev.nightjar.ctl.print.OutputFormat;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
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
            DefragCommand.class,
            AlarmCommand.class,
            EndpointCommand.class,
            MemberCommand.class,
            StatusCommand.class,
            VersionCommand.class
        })
public final class RootCommand implements Runnable {

    private final Console console;

    @Spec
    private @Nullable CommandSpec spec;

    @Mixin
    private final ConnectionFlags connectionFlags = new ConnectionFlags();

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
        return connectionFlags.endpoints();
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
        return connectionFlags.options();
    }

    /** A connection to any of the endpoints. */
    Connection connect() {
        return Connection.open(connectionOptions());
    }
}

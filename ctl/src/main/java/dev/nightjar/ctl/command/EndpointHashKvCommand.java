/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.ctl.command;

import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

/** Tells the hash of each endpoint's history; owned by the thread that runs the command. */
@Command(
        name = "hashkv",
        customSynopsis = "nightjar ctl endpoint hashkv [OPTION...]",
        description = {
            "Tells the hash of the history of each endpoint: members with equal keys and history have equal ones.",
            "In simple form: endpoint, hash, revision up to which it was taken."
        })
final class EndpointHashKvCommand extends CtlCommand {

    @ParentCommand
    private @Nullable EndpointCommand parent;

    @Option(
            names = "--rev",
            paramLabel = "REVISION",
            defaultValue = "0",
            description = "Up to which revision. Default: the newest.")
    private long revision;

    @Parameters(hidden = true, arity = "0..*")
    @SuppressWarnings("UnusedVariable") // Taken and left alone, as etcd's client does.
    private List<String> arguments = List.of();

    @Override
    void run(RootCommand root) {
        new EndpointQueries(root).hashKv(parent != null && parent.wholeCluster(), revision);
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.ctl.command;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ParentCommand;

/** Tells the state of each endpoint; owned by the thread that runs the command. */
@Command(
        name = "status",
        customSynopsis = "nightjar ctl endpoint status [OPTION...]",
        description = {
            "Tells the state of each endpoint.",
            "In simple form: endpoint, id, version, version of the data, size, size in use, share not in use, quota,"
                    + " whether leader, whether learner, Raft term, index, applied index, errors, downgrade target,"
                    + " whether downgrading."
        })
final class EndpointStatusCommand extends CtlCommand {

    @ParentCommand
    private @Nullable EndpointCommand parent;

    @Override
    void run(RootCommand root) {
        new EndpointQueries(root).status(parent != null && parent.wholeCluster());
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.ctl.command;

import dev.nightjar.api.etcdserverpb.CompactionRequest;
import dev.nightjar.ctl.client.Connection;
import dev.nightjar.ctl.client.CtlException;
import dev.nightjar.ctl.client.ExitCode;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Drops the history up to a revision; owned by the thread that runs the command. */
@Command(
        name = "compaction",
        customSynopsis = "nightjar ctl compaction [OPTION...] REVISION",
        description = "Drops the history of all keys up to a revision.")
final class CompactionCommand extends CtlCommand {

    @Parameters(hidden = true, arity = "0..*")
    private List<String> arguments = List.of();

    @Option(names = "--physical", description = "Wait until the history is gone from the files.")
    private boolean physical;

    @Override
    void run(RootCommand root) {
        if (arguments.size() != 1) {
            throw badArguments("compaction command needs 1 argument");
        }
        long revision = revision(arguments.getFirst());
        try (Connection connection = root.connect()) {
            connection
                    .keys()
                    .compact(CompactionRequest.newBuilder()
                            .setRevision(revision)
                            .setPhysical(physical)
                            .build());
        }
        root.console().out().print("compacted revision " + revision + "\n");
    }

    private static long revision(String text) {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw new CtlException(ExitCode.ERROR, "bad revision \"" + text + "\", expecting a whole number", e);
        }
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.ctl.command;

import dev.nightjar.api.etcdserverpb.MemberListRequest;
import dev.nightjar.ctl.client.Connection;
import dev.nightjar.ctl.print.MemberPrinter;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Lists the members; owned by the thread that runs the command. */
@Command(
        name = "list",
        customSynopsis = "nightjar ctl member list [OPTION...]",
        description = {
            "Lists the members.",
            "In simple form: id, started or unstarted, name, addresses for members, addresses for clients, whether a learner."
        })
final class MemberListCommand extends CtlCommand {

    @Option(
            names = "--consistency",
            paramLabel = "l|s",
            defaultValue = "l",
            description = "l: see every change made before (linearizable). s: take what one member has (serializable).")
    private String consistency = "l";

    @Override
    void run(RootCommand root) {
        MemberListRequest request = MemberListRequest.newBuilder()
                .setLinearizable(Consistency.of(consistency) == Consistency.LINEARIZABLE)
                .build();
        MemberPrinter printer = root.format().memberPrinter(root.output(), root.hex());
        try (Connection connection = root.connect()) {
            printer.members(connection.cluster().memberList(request));
        }
    }
}

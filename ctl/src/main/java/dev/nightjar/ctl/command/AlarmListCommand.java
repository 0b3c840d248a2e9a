/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.ctl.command;

import dev.nightjar.api.etcdserverpb.AlarmRequest;
import dev.nightjar.ctl.client.Connection;
import dev.nightjar.ctl.print.AlarmPrinter;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Lists the alarms that are raised; owned by the thread that runs the command. */
@Command(
        name = "list",
        customSynopsis = "nightjar ctl alarm list [OPTION...]",
        description = "Lists the alarms that are raised.")
final class AlarmListCommand extends CtlCommand {

    @Parameters(hidden = true, arity = "0..*")
    private List<String> arguments = List.of();

    @Override
    void run(RootCommand root) {
        if (!arguments.isEmpty()) {
            throw badArguments("alarm list command accepts no arguments");
        }
        AlarmPrinter printer = root.format().alarmPrinter(root.output(), root.hex());
        try (Connection connection = root.connect()) {
            printer.alarms(connection.maintenance().alarm(AlarmRequest.getDefaultInstance()));
        }
    }
}

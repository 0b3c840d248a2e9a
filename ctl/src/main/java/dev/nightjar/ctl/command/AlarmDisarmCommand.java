/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.ctl.command;

import dev.nightjar.api.etcdserverpb.AlarmMember;
import dev.nightjar.api.etcdserverpb.AlarmRequest;
import dev.nightjar.api.etcdserverpb.AlarmRequest.AlarmAction;
import dev.nightjar.api.etcdserverpb.AlarmResponse;
import dev.nightjar.ctl.client.Connection;
import dev.nightjar.ctl.print.AlarmPrinter;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Disarms all alarms; owned by the thread that runs the command. */
@Command(
        name = "disarm",
        customSynopsis = "nightjar ctl alarm disarm [OPTION...]",
        description = "Disarms all alarms, one after the other, and lists those that it disarmed.")
final class AlarmDisarmCommand extends CtlCommand {

    @Parameters(hidden = true, arity = "0..*")
    private List<String> arguments = List.of();

    @Override
    void run(RootCommand root) {
        if (!arguments.isEmpty()) {
            throw badArguments("alarm disarm command accepts no arguments");
        }
        AlarmPrinter printer = root.format().alarmPrinter(root.output(), root.hex());
        AlarmResponse.Builder disarmed = AlarmResponse.newBuilder();
        try (Connection connection = root.connect()) {
            AlarmResponse raised = connection.maintenance().alarm(AlarmRequest.getDefaultInstance());
            for (AlarmMember alarm : raised.getAlarmsList()) {
                AlarmRequest request = AlarmRequest.newBuilder()
                        .setAction(AlarmAction.DEACTIVATE)
                        .setMemberID(alarm.getMemberID())
                        .setAlarmValue(alarm.getAlarmValue())
                        .build();
                disarmed.addAllAlarms(connection.maintenance().alarm(request).getAlarmsList());
            }
        }
        printer.alarms(disarmed.build());
    }
}

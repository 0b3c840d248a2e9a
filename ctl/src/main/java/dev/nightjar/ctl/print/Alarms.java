/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.ctl.print;

import dev.nightjar.api.etcdserverpb.AlarmMember;
import dev.nightjar.api.etcdserverpb.AlarmType;

/** Alarms as text; stateless, any thread. */
final class Alarms {

    private Alarms() {}

    /** In protobuf's text form: fields that are zero are left out. */
    static String text(AlarmMember alarm) {
        String member = alarm.getMemberID() == 0 ? "" : "memberID:" + Long.toUnsignedString(alarm.getMemberID());
        String type = alarm.getAlarmValue() == 0 ? "" : "alarm:" + type(alarm);
        return member.isEmpty() || type.isEmpty() ? member + type : member + " " + type;
    }

    /** The name of the type, its number if this version knows no name. */
    static String type(AlarmMember alarm) {
        return alarm.getAlarm() == AlarmType.UNRECOGNIZED
                ? Integer.toString(alarm.getAlarmValue())
                : alarm.getAlarm().name();
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.ctl.print;

import dev.nightjar.api.etcdserverpb.AlarmResponse;

/** Prints alarms; owned by the thread that runs the command. */
public interface AlarmPrinter {

    /** The alarms of an answer, which has no header if it was made of several. */
    void alarms(AlarmResponse response);
}

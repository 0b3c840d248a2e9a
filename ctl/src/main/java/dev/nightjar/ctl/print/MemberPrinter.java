/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.ctl.print;

import dev.nightjar.api.etcdserverpb.MemberListResponse;

/** Prints what is known of members; owned by the thread that runs the command. */
public interface MemberPrinter {

    /** The members of the cluster. */
    void members(MemberListResponse response);
}

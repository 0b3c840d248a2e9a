/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.ctl.print;

import java.util.List;

/** Prints what is known of endpoints; owned by the thread that runs the command. */
public interface EndpointPrinter {

    /** The health of each endpoint. */
    void health(List<EndpointHealth> endpoints);

    /** The hash of each endpoint. */
    void hashKv(List<EndpointHashKv> endpoints);

    /** The state of each endpoint. */
    void status(List<EndpointStatus> endpoints);
}

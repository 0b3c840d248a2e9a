/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.ctl.print;

import dev.nightjar.api.etcdserverpb.StatusResponse;

/**
 * The state of one endpoint; immutable, any thread.
 *
 * @param endpoint as the user wrote it
 */
public record EndpointStatus(String endpoint, StatusResponse status) {}

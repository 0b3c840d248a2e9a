/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.ctl.print;

import dev.nightjar.api.etcdserverpb.HashKVResponse;

/**
 * The hash of one endpoint's history; immutable, any thread.
 *
 * @param endpoint as the user wrote it
 */
public record EndpointHashKv(String endpoint, HashKVResponse hash) {}

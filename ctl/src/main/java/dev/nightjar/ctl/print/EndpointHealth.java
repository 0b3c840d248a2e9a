/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.ctl.print;

/**
 * Whether one endpoint serves; immutable, any thread.
 *
 * @param endpoint as the user wrote it
 * @param tookNanos how long the answer took
 * @param error why it is unhealthy; empty when it is healthy
 */
public record EndpointHealth(String endpoint, boolean healthy, long tookNanos, String error) {}

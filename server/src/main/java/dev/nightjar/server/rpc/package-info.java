/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
/**
 * The services of the API, one class each. Purpose: translate requests, check their shape, hand them on, encode the
 * answers; no logic of its own. Everything runs on the event loop that owns the call. May depend on {@code wire}, {@code
 * server.node}, {@code server.config} for the version, and {@code core}, which is not written to here. Start reading at {@link
 * dev.nightjar.server.rpc.KvService}.
 */
@org.jspecify.annotations.NullMarked
package dev.nightjar.server.rpc;

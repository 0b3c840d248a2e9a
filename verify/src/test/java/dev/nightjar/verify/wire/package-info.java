/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
/** The port against gRPC clients that others wrote; the programs are in {@code verify/clients}. */
@org.jspecify.annotations.NullMarked
package dev.nightjar.verify.wire;

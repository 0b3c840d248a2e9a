/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
/** Tests of the port over real sockets, with gRPC's own Java client and with hand-made frames. */
@org.jspecify.annotations.NullMarked
package dev.nightjar.wire;

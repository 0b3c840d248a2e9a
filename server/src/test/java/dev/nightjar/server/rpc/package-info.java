/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
@org.jspecify.annotations.NullMarked
package dev.nightjar.server.rpc;

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
/**
 * What the operator asks for. Purpose: one table of flags drives the command line, the environment, the checks and the
 * reference page; the result is one immutable {@link dev.nightjar.server.config.ServerConfig}. Everything here is a
 * value or a pure function: no thread, no clock, no file, and the environment is handed in. May depend on consensus for
 * {@link dev.nightjar.consensus.MemberId} only. Start reading at {@link dev.nightjar.server.config.FlagTable}.
 */
@org.jspecify.annotations.NullMarked
package dev.nightjar.server.config;

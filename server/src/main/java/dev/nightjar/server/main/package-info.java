/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
/**
 * The server as a process. Purpose: arguments and environment in, log lines and an exit code out, as scripts and tools
 * for etcd expect; an embedded server needs none of it. The main thread starts the server and waits; the JVM's signal
 * thread stops it. May depend on every package of the server module. Start reading at {@link dev.nightjar.server.main.Main}.
 */
@org.jspecify.annotations.NullMarked
package dev.nightjar.server.main;

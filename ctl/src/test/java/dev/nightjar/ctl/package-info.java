/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
/**
 * Scripts under {@code src/test/resources/scripts} say what a command asks of a server, what the server answers, and what is printed.
 * {@link dev.nightjar.ctl.ScriptTest} plays them with the client of this project; {@link dev.nightjar.ctl.EtcdctlScriptTest} plays
 * them with etcd's own, when it is told where that lies, so that they are known to be true. Start reading at
 * {@link dev.nightjar.ctl.Script}.
 */
@org.jspecify.annotations.NullMarked
package dev.nightjar.ctl;

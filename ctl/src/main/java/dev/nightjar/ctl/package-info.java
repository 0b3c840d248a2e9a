/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
/**
 * The command line client: `nightjar ctl`, with the commands, flags, outputs and exit codes of etcdctl.
 *
 * <p>Everything runs on the thread that calls {@link dev.nightjar.ctl.Ctl#run}, except where a command says otherwise. Sees the
 * API only, never the server. Start reading at {@link dev.nightjar.ctl.Ctl}.
 */
@org.jspecify.annotations.NullMarked
package dev.nightjar.ctl;

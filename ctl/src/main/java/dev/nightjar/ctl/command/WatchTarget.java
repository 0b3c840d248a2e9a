/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.ctl.command;

import dev.nightjar.api.etcdserverpb.WatchCreateRequest;
import java.util.List;

/**
 * What to watch and what to do for each event; immutable, any thread.
 *
 * @param program a program and its arguments to run for each event; empty for none
 */
record WatchTarget(WatchCreateRequest request, List<String> program) {}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
/**
 * One class an output format. Keys and values are bytes and are written as they are, unless a format escapes them.
 *
 * <p>Owned by the thread that runs the command. Depends on the API, and on {@code client} for its exception. Start reading at
 * {@link dev.nightjar.ctl.print.OutputFormat}.
 */
@org.jspecify.annotations.NullMarked
package dev.nightjar.ctl.print;

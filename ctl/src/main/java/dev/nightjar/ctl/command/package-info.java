/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
/**
 * One class a command: its flags, the request it makes of them, and what it prints.
 *
 * <p>Owned by the thread that runs the command. May use {@code client} and {@code print}. Start reading at
 * {@link dev.nightjar.ctl.command.GetCommand}.
 */
@org.jspecify.annotations.NullMarked
package dev.nightjar.ctl.command;

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.ctl.command;

import java.io.InputStream;
import java.io.PrintStream;
import java.time.Duration;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * All that a command knows of the world around it; used by the thread that runs the command.
 *
 * @param environment the variables of the environment
 * @param nanoTime a clock that only ever goes forward, in nanoseconds
 * @param pause waits, so that the user can interrupt
 */
public record Console(
        Map<String, String> environment,
        InputStream in,
        PrintStream out,
        PrintStream err,
        LongSupplier nanoTime,
        Consumer<Duration> pause) {}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.observe;

import org.slf4j.Marker;
import org.slf4j.MarkerFactory;

/**
 * The two levels above error, which SLF4J does not have: a line at level error that carries one of these is shown as
 * that level. To log them does not end the program; who logs does that.
 */
public final class LogMarkers {
    /** The program ends with code 1. */
    public static final Marker FATAL = MarkerFactory.getDetachedMarker("fatal");

    /** The program ends with code 2: it found itself in a state that cannot be. */
    public static final Marker PANIC = MarkerFactory.getDetachedMarker("panic");

    private LogMarkers() {}
}

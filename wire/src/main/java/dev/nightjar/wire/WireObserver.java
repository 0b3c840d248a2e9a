/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.wire;

import io.grpc.Status;

/** Counts what passes; called on the event loops. */
public interface WireObserver {

    /** A call to a known method began. */
    default void callStarted(String fullMethod) {}

    /** A call to a known method ended. */
    default void callEnded(String fullMethod, Status.Code code, long nanos) {}

    /** A message came in. */
    default void messageReceived(String fullMethod, int bytes) {}

    /** Messages went out. */
    default void messagesSent(String fullMethod, int messages, int bytes) {}

    /** A connection was opened (+1) or closed (-1). */
    default void connections(int delta) {}
}

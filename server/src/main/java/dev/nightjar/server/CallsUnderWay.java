/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server;

import dev.nightjar.wire.WireObserver;
import io.grpc.Status;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Knows whether calls are under way that will end by themselves: those are worth waiting for when the server stops.
 * Passes everything on. Called on the loops; any thread may ask.
 */
final class CallsUnderWay implements WireObserver {
    private final WireObserver next;
    private final Set<String> endless;
    private final AtomicLong underWay = new AtomicLong();
    private final AtomicLong started = new AtomicLong();

    /** @param endless full names of the methods whose calls last until the client ends them */
    CallsUnderWay(WireObserver next, Set<String> endless) {
        this.next = next;
        this.endless = endless;
    }

    /** Calls that will end by themselves and have not. */
    long count() {
        return underWay.get();
    }

    /** How many of these began since the server started. */
    long started() {
        return started.get();
    }

    @Override
    public void callStarted(String fullMethod) {
        if (!endless.contains(fullMethod)) {
            started.incrementAndGet();
            underWay.incrementAndGet();
        }
        next.callStarted(fullMethod);
    }

    @Override
    public void callEnded(String fullMethod, Status.Code code, long nanos) {
        if (!endless.contains(fullMethod)) {
            underWay.decrementAndGet();
        }
        next.callEnded(fullMethod, code, nanos);
    }

    @Override
    public void messageReceived(String fullMethod, int bytes) {
        next.messageReceived(fullMethod, bytes);
    }

    @Override
    public void messagesSent(String fullMethod, int messages, int bytes) {
        next.messagesSent(fullMethod, messages, bytes);
    }

    @Override
    public void connections(int delta) {
        next.connections(delta);
    }
}

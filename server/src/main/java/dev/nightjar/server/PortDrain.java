/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server;

import dev.nightjar.wire.WireServer;
import io.netty.channel.EventLoop;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * Closes a port without losing an answer and without waiting for watches, which never end by themselves. Owned by the
 * loop it is given.
 *
 * <p>All clients are asked to go. From then on they begin no new calls, so once none was under way for a moment, no
 * answer is owed any more: what is still open then is cut off, and its clients see the transport close and turn to
 * another member.
 */
final class PortDrain {
    /** How long nothing must be under way: a call that left its client before the news reached it arrives meanwhile. */
    private static final long QUIET_MILLIS = 200;

    private final WireServer port;
    private final CallsUnderWay calls;
    private long startedBefore;

    private PortDrain(WireServer port, CallsUnderWay calls) {
        this.port = port;
        this.calls = calls;
        this.startedBefore = calls.started();
    }

    /**
     * Closes the port and waits until that is done; not on a loop.
     *
     * @param grace how long calls that do end may go on
     */
    static void close(WireServer port, CallsUnderWay calls, EventLoop loop, Duration grace) {
        CompletableFuture<Void> closed = port.shutdown(grace);
        PortDrain drain = new PortDrain(port, calls);
        Future<?> check = loop.scheduleWithFixedDelay(drain::check, QUIET_MILLIS, QUIET_MILLIS, TimeUnit.MILLISECONDS);
        closed.join();
        check.cancel(false);
    }

    @SuppressWarnings("FutureReturnValueIgnored") // the first call's future tells
    private void check() {
        long started = calls.started();
        if (calls.count() == 0 && started == startedBefore) {
            port.shutdown(Duration.ZERO);
        }
        startedBefore = started;
    }
}

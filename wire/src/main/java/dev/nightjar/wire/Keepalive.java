/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.wire;

import io.netty.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * Finds dead clients; owned by the connection's loop. A client that has been silent for the interval gets a ping, and one
 * that stays silent for the timeout after it is cut off. A client that never sends its first settings is cut off, too.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a failed write or close ends the connection, which is told elsewhere
final class Keepalive {

    private static final long PING = 0x616c_6976_653f_3f3fL;

    private final ServerConnection connection;
    private final long intervalNanos;
    private final long timeoutNanos;
    private final long prefaceNanos;

    private @Nullable Future<?> timer;
    private long lastReadNanos;
    private long pingNanos;
    private boolean greeted;
    private boolean pinged;

    Keepalive(ServerConnection connection, WireLimits limits, PortTuning tuning) {
        this.connection = connection;
        intervalNanos = limits.keepaliveInterval().toNanos();
        timeoutNanos = limits.keepaliveTimeout().toNanos();
        prefaceNanos = tuning.headerTimeout().toNanos();
    }

    /** The connection exists; its settings are awaited. */
    void start() {
        timer = connection.schedule(() -> connection.ctx().close(), prefaceNanos);
    }

    /** The client's settings came. */
    void onSettings() {
        if (!greeted && timer != null) {
            greeted = true;
            timer.cancel(false);
            rearm(intervalNanos);
        }
    }

    void onRead() {
        lastReadNanos = System.nanoTime();
    }

    void stop() {
        if (timer != null) {
            timer.cancel(false);
            timer = null;
        }
    }

    private void rearm(long nanos) {
        timer = intervalNanos > 0 && timeoutNanos > 0 ? connection.schedule(this::check, nanos) : null;
    }

    private void check() {
        long now = System.nanoTime();
        long silentNanos = now - lastReadNanos;
        if (pinged && lastReadNanos - pingNanos < 0) {
            connection.ctx().close();
        } else if (silentNanos < intervalNanos) {
            pinged = false;
            rearm(intervalNanos - silentNanos);
        } else {
            pinged = true;
            pingNanos = now;
            connection.ping(PING);
            rearm(timeoutNanos);
        }
    }
}

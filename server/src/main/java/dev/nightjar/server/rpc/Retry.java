/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.rpc;

import dev.nightjar.wire.RawCall;
import java.util.concurrent.TimeUnit;

/** Another try at what found no memory or no reader thread, as nobody tells when there is one again. Stateless. */
final class Retry {
    /** Unnoticed by a client that waits for megabytes. */
    private static final long PAUSE_MILLIS = 20;

    private Retry() {}

    /** Runs a task on the call's loop after a while; any thread. */
    @SuppressWarnings("FutureReturnValueIgnored") // timers of a loop end with it
    static void later(RawCall call, Runnable task) {
        call.loop().schedule(task, PAUSE_MILLIS, TimeUnit.MILLISECONDS);
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.driver;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Processes that must not outlive this JVM, should a test end without closing them; any thread. */
final class Leftovers {
    private static final Set<Process> RUNNING = ConcurrentHashMap.newKeySet();

    static {
        Runtime.getRuntime()
                .addShutdownHook(new Thread(() -> RUNNING.forEach(Process::destroyForcibly), "leftover processes"));
    }

    private Leftovers() {}

    static void register(Process process) {
        RUNNING.add(process);
        var _ = process.onExit().thenAccept(RUNNING::remove);
    }
}

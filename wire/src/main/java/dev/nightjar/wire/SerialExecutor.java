/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.wire;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Runs one call's callbacks one after the other on an executor that others share; fed by the call's loop. Its queue is as
 * long as the messages that the call has asked for, and a few events.
 */
final class SerialExecutor implements Executor {

    private final Executor shared;

    /** What waits; its monitor guards it and {@link #running}, and is held for one queue operation, never while a task runs. */
    private final Queue<Runnable> tasks = new ArrayDeque<>();

    /** Whether a thread runs tasks or is about to; guarded by {@link #tasks}. */
    private boolean running;

    SerialExecutor(Executor shared) {
        this.shared = shared;
    }

    /** @throws java.util.concurrent.RejectedExecutionException if the shared executor is full; the task is dropped */
    @Override
    public void execute(Runnable task) {
        synchronized (tasks) {
            tasks.add(task);
            if (running) {
                return;
            }
            running = true;
        }
        boolean started = false;
        try {
            shared.execute(this::run);
            started = true;
        } finally {
            if (!started) {
                synchronized (tasks) {
                    running = false;
                    tasks.clear();
                }
            }
        }
    }

    private void run() {
        for (Runnable task = next(); task != null; task = next()) {
            task.run();
        }
    }

    private @Nullable Runnable next() {
        synchronized (tasks) {
            Runnable task = tasks.poll();
            running = task != null;
            return task;
        }
    }
}

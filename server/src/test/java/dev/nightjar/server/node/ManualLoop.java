/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.node;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;

/** A loop that a test turns by hand. */
final class ManualLoop implements Executor {
    private final Queue<Runnable> tasks = new ArrayDeque<>();

    @Override
    public void execute(Runnable task) {
        tasks.add(task);
    }

    /** Runs tasks, also those that tasks add, until none is left. */
    void run() {
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
        }
    }

    int tasks() {
        return tasks.size();
    }
}

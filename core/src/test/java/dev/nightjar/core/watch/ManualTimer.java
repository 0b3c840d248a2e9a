/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.watch;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Executor;

/** A clock and its timers, both moved by the test. */
final class ManualTimer implements WatchEnvironment.Timer {
    private record Task(long at, Runnable task) {}

    private final Executor loop;
    private final List<Task> tasks = new ArrayList<>();
    private long now = -1_000_000; // a monotonic clock may well be negative

    ManualTimer(Executor loop) {
        this.loop = loop;
    }

    @Override
    public void schedule(Runnable task, long delayNanos) {
        tasks.add(new Task(now + delayNanos, task));
    }

    long now() {
        return now;
    }

    /** Time that passes while a task works. */
    void work(long nanos) {
        now += nanos;
    }

    int pending() {
        return tasks.size();
    }

    /** Moves to the next timer that is due within the time left, else to the end of it; returns what is left. */
    long advance(long nanos) {
        long end = now + nanos;
        Task next = tasks.stream()
                .filter(task -> task.at() <= end)
                .min(Comparator.comparingLong(Task::at))
                .orElse(null);
        if (next == null) {
            now = end;
            return 0;
        }
        tasks.remove(next);
        now = next.at();
        loop.execute(next.task());
        return end - now;
    }
}

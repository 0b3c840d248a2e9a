/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.node;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.Delayed;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A scheduler whose time a test moves. */
final class ManualSchedule extends AbstractExecutorService implements ScheduledExecutorService {
    private static final long ONCE = -1;

    private record Task(long dueMillis, long everyMillis, Runnable work) {}

    private final List<Task> tasks = new ArrayList<>();
    private long nowMillis;

    /** Moves the time on and runs what falls due, in order. */
    void advance(long millis) {
        long end = nowMillis + millis;
        for (Task next = firstDue(end); next != null; next = firstDue(end)) {
            tasks.remove(next);
            nowMillis = Math.max(nowMillis, next.dueMillis);
            if (next.everyMillis != ONCE) {
                tasks.add(new Task(nowMillis + next.everyMillis, next.everyMillis, next.work));
            }
            next.work.run();
        }
        nowMillis = end;
    }

    private @Nullable Task firstDue(long end) {
        Task first = null;
        for (Task task : tasks) {
            if (task.dueMillis <= end && (first == null || task.dueMillis < first.dueMillis)) {
                first = task;
            }
        }
        return first;
    }

    /** Milliseconds until the next task that does not repeat; -1 if there is none. */
    long nextMillis() {
        return tasks.stream()
                .filter(task -> task.everyMillis == ONCE)
                .mapToLong(task -> task.dueMillis - nowMillis)
                .min()
                .orElse(-1);
    }

    private ScheduledFuture<?> add(long delayMillis, long everyMillis, Runnable work) {
        tasks.add(new Task(nowMillis + delayMillis, everyMillis, work));
        return new Unused();
    }

    @Override
    public void execute(Runnable work) {
        var _ = add(0, ONCE, work);
    }

    @Override
    public ScheduledFuture<?> schedule(Runnable work, long delay, TimeUnit unit) {
        return add(unit.toMillis(delay), ONCE, work);
    }

    @Override
    public <V> ScheduledFuture<V> schedule(Callable<V> work, long delay, TimeUnit unit) {
        throw new UnsupportedOperationException();
    }

    @Override
    public ScheduledFuture<?> scheduleAtFixedRate(Runnable work, long initial, long period, TimeUnit unit) {
        return scheduleWithFixedDelay(work, initial, period, unit);
    }

    @Override
    public ScheduledFuture<?> scheduleWithFixedDelay(Runnable work, long initial, long delay, TimeUnit unit) {
        return add(unit.toMillis(initial), unit.toMillis(delay), work);
    }

    @Override
    public void shutdown() {
        tasks.clear();
    }

    @Override
    public List<Runnable> shutdownNow() {
        tasks.clear();
        return List.of();
    }

    @Override
    public boolean isShutdown() {
        return false;
    }

    @Override
    public boolean isTerminated() {
        return false;
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) {
        return true;
    }

    private static final class Unused extends FutureTask<Object> implements ScheduledFuture<Object> {
        Unused() {
            super(() -> new Object());
        }

        @Override
        public long getDelay(TimeUnit unit) {
            return 0;
        }

        @Override
        public int compareTo(Delayed other) {
            return 0;
        }
    }
}

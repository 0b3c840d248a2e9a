/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.consensus.jraft;

import com.alipay.sofa.jraft.core.Scheduler;
import com.alipay.sofa.jraft.util.SPI;
import com.alipay.sofa.jraft.util.timer.RaftTimerFactory;
import com.alipay.sofa.jraft.util.timer.Timeout;
import com.alipay.sofa.jraft.util.timer.Timer;
import com.alipay.sofa.jraft.util.timer.TimerTask;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * All timers of all members in this process on two threads that sleep until something is due. The engine's own wheels tick
 * every millisecond. Found by the engine as a service.
 */
@SPI(name = "nightjar", priority = 100)
public final class EngineTimers implements RaftTimerFactory {

    /** Two, so that one election that waits for the disk does not hold up heartbeats. */
    private static final int THREADS = 2;

    private static final ScheduledThreadPoolExecutor EXECUTOR = executor();

    private static ScheduledThreadPoolExecutor executor() {
        ScheduledThreadPoolExecutor executor = new ScheduledThreadPoolExecutor(
                THREADS,
                Thread.ofPlatform().daemon().name("consensus-timer-", 0).factory());
        executor.setRemoveOnCancelPolicy(true);
        executor.setKeepAliveTime(10, TimeUnit.SECONDS);
        executor.allowCoreThreadTimeOut(true);
        return executor;
    }

    @Override
    public Timer getElectionTimer(boolean shared, String name) {
        return new SharedTimer();
    }

    @Override
    public Timer getVoteTimer(boolean shared, String name) {
        return new SharedTimer();
    }

    @Override
    public Timer getStepDownTimer(boolean shared, String name) {
        return new SharedTimer();
    }

    @Override
    public Timer getSnapshotTimer(boolean shared, String name) {
        return new SharedTimer();
    }

    @Override
    public Timer createTimer(String name) {
        return new SharedTimer();
    }

    @Override
    public Scheduler getRaftScheduler(boolean shared, int workers, String name) {
        return new SharedScheduler();
    }

    @Override
    public Scheduler createScheduler(int workers, String name) {
        return new SharedScheduler();
    }

    /** One-shot timeouts. Stopping it stops nothing: its owner cancels its own timeouts, and other members share the threads. */
    private static final class SharedTimer implements Timer {
        @Override
        public Timeout newTimeout(TimerTask task, long delay, TimeUnit unit) {
            ScheduledTimeout timeout = new ScheduledTimeout(this, task);
            timeout.future = EXECUTOR.schedule(timeout, delay, unit);
            return timeout;
        }

        @Override
        public Set<Timeout> stop() {
            return Set.of();
        }
    }

    /** A timeout of the engine. */
    private static final class ScheduledTimeout implements Timeout, Runnable {
        private final Timer timer;
        private final TimerTask task;
        private volatile @Nullable Future<?> future;

        ScheduledTimeout(Timer timer, TimerTask task) {
            this.timer = timer;
            this.task = task;
        }

        @Override
        public void run() {
            try {
                task.run(this);
            } catch (Exception e) {
                // The engine's tasks log their own failures; this satisfies the interface.
                throw new IllegalStateException("timer task failed", e);
            }
        }

        @Override
        public Timer timer() {
            return timer;
        }

        @Override
        public TimerTask task() {
            return task;
        }

        @Override
        public boolean isExpired() {
            Future<?> scheduled = future;
            return scheduled != null && scheduled.isDone() && !scheduled.isCancelled();
        }

        @Override
        public boolean isCancelled() {
            Future<?> scheduled = future;
            return scheduled != null && scheduled.isCancelled();
        }

        @Override
        public boolean cancel() {
            Future<?> scheduled = future;
            return scheduled != null && scheduled.cancel(false);
        }
    }

    /** The engine's scheduler. */
    private static final class SharedScheduler implements Scheduler {
        @Override
        public ScheduledFuture<?> schedule(Runnable command, long delay, TimeUnit unit) {
            return EXECUTOR.schedule(command, delay, unit);
        }

        @Override
        public ScheduledFuture<?> scheduleAtFixedRate(Runnable command, long first, long period, TimeUnit unit) {
            return EXECUTOR.scheduleAtFixedRate(command, first, period, unit);
        }

        @Override
        public ScheduledFuture<?> scheduleWithFixedDelay(Runnable command, long first, long delay, TimeUnit unit) {
            return EXECUTOR.scheduleWithFixedDelay(command, first, delay, unit);
        }

        @Override
        public void shutdown() {}
    }
}

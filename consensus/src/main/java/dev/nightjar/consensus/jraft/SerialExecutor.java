/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.consensus.jraft;

import com.alipay.sofa.jraft.util.concurrent.FixedThreadsExecutorGroup;
import com.alipay.sofa.jraft.util.concurrent.SingleThreadExecutor;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs tasks one after another, in order, on borrowed threads. Bounded: a task too many is rejected. Any thread. */
final class SerialExecutor implements SingleThreadExecutor {
    private static final Logger LOG = LoggerFactory.getLogger(SerialExecutor.class);

    private final Executor executor;
    private final int limit;

    /** Guarded by itself; held for an add or a poll. */
    private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();

    private boolean running;

    SerialExecutor(Executor executor, int limit) {
        this.executor = executor;
        this.limit = limit;
    }

    @Override
    public void execute(Runnable task) {
        synchronized (tasks) {
            if (tasks.size() >= limit) {
                throw new RejectedExecutionException("more than " + limit + " tasks wait");
            }
            tasks.add(task);
            if (running) {
                return;
            }
            running = true;
        }
        try {
            executor.execute(this::drain);
        } catch (RejectedExecutionException e) {
            synchronized (tasks) {
                tasks.clear();
                running = false;
            }
            throw e;
        }
    }

    private void drain() {
        while (true) {
            Runnable task;
            synchronized (tasks) {
                task = tasks.poll();
                if (task == null) {
                    running = false;
                    return;
                }
            }
            try {
                task.run();
            } catch (RuntimeException | Error e) {
                LOG.error("a task of the engine failed", e);
            }
        }
    }

    @Override
    public boolean shutdownGracefully() {
        return true;
    }

    @Override
    public boolean shutdownGracefully(long timeout, TimeUnit unit) {
        return true;
    }

    /** Gives each replicator an executor of its own, as the engine wants it. */
    record Group(Executor executor, int limit) implements FixedThreadsExecutorGroup {
        @Override
        public SingleThreadExecutor next() {
            return new SerialExecutor(executor, limit);
        }

        @Override
        public void execute(int index, Runnable task) {
            executor.execute(task);
        }

        @Override
        public Iterator<SingleThreadExecutor> iterator() {
            return List.<SingleThreadExecutor>of().iterator();
        }

        @Override
        public boolean shutdownGracefully() {
            return true;
        }

        @Override
        public boolean shutdownGracefully(long timeout, TimeUnit unit) {
            return true;
        }
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.driver;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The lines that one process prints, kept for tests to wait on and copied to a file. Its own reader thread writes; any
 * thread waits and reads.
 */
public final class ProcessOutput {
    /** Lines kept in memory: a test looks for what was said lately, the file has the rest. */
    static final int KEPT_LINES = 5_000;

    private static final int TAIL_LINES = 25;

    private final Process process;
    /** Guards {@link #lines}, {@link #ended} and {@link #failure}; held for one line. */
    private final ReentrantLock lock = new ReentrantLock();

    private final Condition changed = lock.newCondition();
    private final Deque<String> lines = new ArrayDeque<>();
    private boolean ended;
    private @Nullable IOException failure;

    /** Begins to read what {@code process} prints; its standard error must go to its standard output. */
    public ProcessOutput(Process process, Path file) {
        this.process = process;
        Thread.ofVirtual().name("output of " + process.pid()).start(() -> read(file));
    }

    private void read(Path file) {
        try (BufferedReader in = process.inputReader(StandardCharsets.UTF_8);
                BufferedWriter out =
                        Files.newBufferedWriter(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                out.write(line);
                out.newLine();
                add(line);
            }
            end(null);
        } catch (IOException e) {
            end(e);
        }
    }

    private void add(String line) {
        lock.lock();
        try {
            if (lines.size() == KEPT_LINES) {
                lines.removeFirst();
            }
            lines.addLast(line);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void end(@Nullable IOException cause) {
        lock.lock();
        try {
            ended = true;
            failure = cause;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Waits for a line that contains {@code text} and returns it; fails if the process ends first or the limit passes. */
    public String await(String text, Duration limit) {
        long left = limit.toNanos();
        lock.lock();
        try {
            while (true) {
                for (String line : lines) {
                    if (line.contains(text)) {
                        return line;
                    }
                }
                if (ended) {
                    throw new AssertionError(
                            "the process ended without printing \"" + text + "\":\n" + tail(), failure);
                }
                if (left <= 0) {
                    throw new AssertionError("no line with \"" + text + "\" within " + limit + ":\n" + tail());
                }
                left = changed.awaitNanos(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while waiting for \"" + text + "\"", e);
        } finally {
            lock.unlock();
        }
    }

    /** Waits until so many lines have been printed since the start, at most {@value #KEPT_LINES}, and returns all. */
    public List<String> awaitLines(int count, Duration limit) {
        long left = limit.toNanos();
        lock.lock();
        try {
            while (lines.size() < count) {
                if (ended || left <= 0) {
                    throw new AssertionError("fewer than " + count + " lines:\n" + tail(), failure);
                }
                left = changed.awaitNanos(left);
            }
            return List.copyOf(lines);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while waiting for " + count + " lines", e);
        } finally {
            lock.unlock();
        }
    }

    /** Waits until so many lines have been printed, or one that contains {@code text}, or the process has ended. */
    public void awaitLinesOr(String text, int count) {
        lock.lock();
        try {
            while (lines.size() < count && !ended && lines.stream().noneMatch(line -> line.contains(text))) {
                changed.await();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while waiting for " + count + " lines", e);
        } finally {
            lock.unlock();
        }
    }

    /** Waits until everything that the ended process printed has been read. */
    void awaitEnd() throws InterruptedException {
        lock.lock();
        try {
            long left = TimeUnit.SECONDS.toNanos(60);
            while (!ended && left > 0) {
                left = changed.awaitNanos(left);
            }
        } finally {
            lock.unlock();
        }
    }

    /** The newest {@value #KEPT_LINES} lines. */
    public List<String> lines() {
        lock.lock();
        try {
            return List.copyOf(lines);
        } finally {
            lock.unlock();
        }
    }

    /** The last few lines, for the message of a failure. */
    public String tail() {
        List<String> all = lines();
        return String.join("\n", all.subList(Math.max(0, all.size() - TAIL_LINES), all.size()));
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.consensus.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the zeros of the next segment ahead of time, so that a group never waits for it and its sync changes no metadata.
 * The log thread asks and takes; a helper thread writes.
 */
final class SegmentPreparer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SegmentPreparer.class);

    /** A durable file of zeros that waits for its use. */
    static final String PREPARED = "prepared";

    private static final String UNFINISHED = "prepared.tmp";
    private static final int WRITE_BYTES = 1 << 20;

    /** Synced in steps, so that the disk never has much of it to write while a group waits. */
    private static final int SYNC_BYTES = 4 << 20;

    private final LogFiles files;
    private final Executor helper;
    private @Nullable CompletableFuture<Void> running;
    private volatile boolean stopped;

    SegmentPreparer(LogFiles files, Executor helper) {
        this.files = files;
        this.helper = helper;
    }

    /** Starts to write a file of {@code bytes} zeros unless there is one or one is being written. Log thread. */
    void prepare(int bytes) {
        if (running == null) {
            running = CompletableFuture.runAsync(() -> write(bytes), helper);
        }
    }

    /** Whether a prepared file is there for the taking. Never waits. Log thread. */
    boolean isReady() throws IOException {
        if (running != null && !running.isDone()) {
            return false;
        }
        running = null;
        return files.exists(PREPARED);
    }

    private void write(int bytes) {
        try {
            if (files.exists(PREPARED)) {
                return;
            }
            try (LogFile file = files.createOptional(UNFINISHED, bytes)) {
                ByteBuffer zeros = ByteBuffer.allocateDirect(WRITE_BYTES);
                for (long at = 0; at < bytes && !stopped; at += WRITE_BYTES) {
                    file.write(zeros.clear().limit((int) Math.min(WRITE_BYTES, bytes - at)), at);
                    if ((at + WRITE_BYTES) % SYNC_BYTES == 0) {
                        file.sync();
                    }
                }
                file.sync();
            }
            if (!stopped) {
                files.rename(UNFINISHED, PREPARED);
            }
        } catch (IOException e) {
            // The log goes on with files that grow; if the disk is full it will find out by itself.
            LOG.warn("could not prepare the next log segment: {}", e.toString());
            removeUnfinished();
        }
    }

    /** What was written of it may be the last room that the disk has. */
    private void removeUnfinished() {
        try {
            files.delete(UNFINISHED);
        } catch (IOException e) {
            LOG.warn("could not remove an unfinished log segment: {}", e.toString());
        }
    }

    /** Waits for the helper. */
    @Override
    public void close() {
        stopped = true;
        if (running != null) {
            running.join();
        }
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.consensus.jraft;

import com.alipay.sofa.jraft.entity.LogEntry;
import dev.nightjar.consensus.ConsensusConfig;
import dev.nightjar.consensus.log.DiskFiles;
import dev.nightjar.consensus.log.HeldFiles;
import dev.nightjar.consensus.log.LogFiles;
import dev.nightjar.consensus.log.LogOptions;
import dev.nightjar.consensus.log.SegmentedLog;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A log that is being opened on a helper thread. Owned by the thread that starts the member.
 *
 * <p>What is found wrong is told by {@link #finish}, and what has to be changed on the disk waits for it: it makes no
 * difference to anybody else when the reading began.
 */
public final class OpeningLog implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(OpeningLog.class);

    private final ConsensusConfig config;
    private final CompletableFuture<Void> allowed = new CompletableFuture<>();

    /** Completes when the helper waits for {@link #allowed}. */
    private final CompletableFuture<Void> held = new CompletableFuture<>();

    private final CompletableFuture<Opened> result;
    private boolean finished;

    /** @param configurations the configuration entries that were found in the log */
    record Opened(SegmentedLog log, List<LogEntry> configurations) {}

    private OpeningLog(ConsensusConfig config, @Nullable LogFiles files) {
        this.config = config;
        CompletableFuture<Opened> opening = new CompletableFuture<>();
        this.result = opening;
        runHelper(() -> {
            try {
                opening.complete(open(files == null ? disk() : files));
            } catch (IOException | RuntimeException | Error e) {
                opening.completeExceptionally(e);
            }
        });
    }

    /** Begins to read the log of a directory. If that is missing it is made when the member starts. */
    static OpeningLog begin(ConsensusConfig config) {
        return new OpeningLog(config, null);
    }

    /** Begins to read a log on a given file system. */
    static OpeningLog begin(ConsensusConfig config, LogFiles files) {
        return new OpeningLog(config, files);
    }

    /** Whose log it is. */
    ConsensusConfig config() {
        return config;
    }

    private LogFiles disk() throws IOException {
        if (!Files.isDirectory(config.logDirectory())) {
            awaitAllowed();
        }
        return DiskFiles.at(config.logDirectory(), config.instruments().room());
    }

    private void awaitAllowed() throws IOException {
        held.complete(null);
        try {
            allowed.join();
        } catch (CompletionException e) {
            throw new IOException(e.getCause());
        }
    }

    static void runHelper(Runnable task) {
        Thread.ofPlatform().daemon().name("consensus-log-helper").start(task);
    }

    private Opened open(LogFiles files) throws IOException {
        List<LogEntry> configurations = new ArrayList<>();
        SegmentedLog log = SegmentedLog.open(
                new HeldFiles(files, this::awaitAllowed),
                new LogOptions(
                        config.limits().segmentBytes(),
                        config.fsync(),
                        config.instruments().ticker(),
                        config.instruments().logObserver(),
                        OpeningLog::runHelper),
                entry -> configurations.add(LogStorageAdapter.toEntry(entry)));
        return new Opened(log, configurations);
    }

    /** See {@link dev.nightjar.consensus.LogReading#end}. */
    public long end() throws IOException {
        return Math.max(lastIndex(), SnapshotFiles.newest(config.snapshotDirectory()));
    }

    private long lastIndex() throws IOException {
        CompletableFuture.anyOf(held, result.handle((opened, failure) -> true)).join();
        if (result.isDone()) {
            return opened().log().lastIndex();
        }
        if (!Files.isDirectory(config.logDirectory())) {
            return 0;
        }
        // Something has to be repaired first, which is not allowed yet.
        try (SegmentedLog log = SegmentedLog.check(SegmentedLog.readOnly(config.logDirectory(), repair -> {}))) {
            return log.lastIndex();
        }
    }

    /**
     * The open log, which is the caller's from now on; waits until it has been read, and changed where it had to be.
     *
     * @throws IOException if it cannot be opened
     */
    Opened finish() throws IOException {
        finished = true;
        allowed.complete(null);
        return opened();
    }

    private Opened opened() throws IOException {
        try {
            return result.join();
        } catch (CompletionException e) {
            switch (e.getCause()) {
                case IOException failure -> throw failure;
                case RuntimeException failure -> throw failure;
                case Error failure -> throw failure;
                case null, default -> throw e;
            }
        }
    }

    @Override
    public void close() {
        if (finished) {
            return;
        }
        finished = true;
        allowed.completeExceptionally(new IOException("the member does not start"));
        Opened opened = result.exceptionally(failure -> null).join();
        if (opened != null) {
            try {
                opened.log().close();
            } catch (IOException e) {
                LOG.warn("could not close the consensus log", e);
            }
        }
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.node;

import dev.nightjar.api.etcdserverpb.Member;
import dev.nightjar.consensus.LogReading;
import dev.nightjar.consensus.MemberId;
import dev.nightjar.core.mvcc.MvccStore;
import dev.nightjar.core.storage.FileSystem;
import dev.nightjar.core.storage.SegmentLog;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The directory of a member with its store open. Used by the thread that starts or stops the node. */
final class NodeFiles implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(NodeFiles.class);

    /**
     * System property by which tests of whole servers get small segments, and with them many images and packed files in
     * little time. Not a setting: nothing else is tested with a server's load.
     */
    private static final String SEGMENT_BYTES = "nightjar.test.segment-bytes";

    private final DataDirectory directory;
    private final DiskReserve reserve;
    private final LogReading log;
    private final MvccStore store;

    private NodeFiles(DataDirectory directory, DiskReserve reserve, LogReading log, MvccStore store) {
        this.directory = directory;
        this.reserve = reserve;
        this.log = log;
        this.store = store;
    }

    /** Begins to read the consensus log of a directory, without a change. */
    interface LogReader {
        LogReading begin(DataDirectory directory, DiskReserve reserve);
    }

    /**
     * Opens the directory and its store; meanwhile the log is read, too.
     *
     * @param whenFresh who the member is if the directory is new
     * @param background runs syncs of sealed segments
     * @throws UnusableFilesException if directory or store cannot be used; all is closed then
     */
    static NodeFiles open(Path root, Identity whenFresh, LogReader logReader, Executor background)
            throws UnusableFilesException {
        DataDirectory directory = DataDirectory.open(root, whenFresh);
        LogReading log = null;
        NodeFiles files = null;
        try {
            DiskReserve reserve = DiskReserve.of(directory.reserve());
            log = logReader.begin(directory, reserve);
            files = new NodeFiles(directory, reserve, log, openStore(directory, reserve, background));
            return files;
        } catch (IOException | RuntimeException e) {
            throw new UnusableFilesException("cannot open the store: " + e.getMessage(), e);
        } finally {
            if (files == null) {
                if (log != null) {
                    log.close();
                }
                close(directory);
            }
        }
    }

    private static MvccStore openStore(DataDirectory directory, DiskReserve reserve, Executor background)
            throws IOException {
        long beganNanos = System.nanoTime();
        SegmentLog records = SegmentLog.open(new SegmentLog.Options(
                FileSystem.real(reserve::makeRoom),
                directory.store(),
                Long.getLong(SEGMENT_BYTES, SegmentLog.SEGMENT_BYTES),
                ThreadLocalRandom.current().nextLong(),
                background));
        long checkedNanos = System.nanoTime();
        MvccStore store = MvccStore.open(records, background);
        LOG.atInfo()
                .addKeyValue("path", directory.store().toString())
                .addKeyValue("keys", store.keyCount())
                .addKeyValue("revision", store.publishedRevision())
                .addKeyValue("checked", Duration.ofNanos(checkedNanos - beganNanos))
                .addKeyValue("took", Duration.ofNanos(System.nanoTime() - beganNanos))
                .log("opened backend db");
        if (store.appliedIndex() > 0 && isMissing(directory.wal())) {
            store.close();
            throw new IOException("the log in " + directory.wal()
                    + " is missing, though the store holds what its entry " + store.appliedIndex() + " wrote");
        }
        return store;
    }

    Identity identity() {
        return directory.identity();
    }

    private static boolean isMissing(Path wal) throws IOException {
        if (!Files.isDirectory(wal)) {
            return true;
        }
        try (Stream<Path> entries = Files.list(wal)) {
            return entries.findAny().isEmpty();
        }
    }

    MvccStore store() {
        return store;
    }

    DiskReserve reserve() {
        return reserve;
    }

    /** The log, as far as it has been read; it is the engine's once that has started. */
    LogReading log() {
        return log;
    }

    /** Refuses a store that knows its members, and not this one among them: files that were mixed up, as a rule. */
    void requireOwnStore(List<Member> members) throws UnusableFilesException {
        MemberId self = identity().memberId();
        if (!members.isEmpty() && members.stream().noneMatch(member -> member.getID() == self.value())) {
            throw new UnusableFilesException(
                    "cannot open the store: that in %s is not of this member, %s: its members are %s"
                            .formatted(
                                    directory.store(),
                                    self,
                                    members.stream()
                                            .map(member -> new MemberId(member.getID()))
                                            .toList()));
        }
    }

    /**
     * Refuses a log that ends before the store does: the store would take what is proposed next for applied already. No
     * crash leaves that as long as the log is synced, as the store takes only entries that are durable.
     */
    void requireLogUpToStore() throws IOException {
        long applied = store.appliedIndex();
        long end = applied == 0 ? 0 : log.end();
        if (end < applied) {
            throw new IOException("the log in " + directory.wal() + " ends, with its snapshots, at entry " + end
                    + ", though the store in " + directory.store() + " holds what its entry " + applied + " wrote");
        }
    }

    Path storeDirectory() {
        return directory.store();
    }

    @Override
    public void close() {
        log.close();
        try {
            store.close();
        } catch (IOException | RuntimeException e) {
            // What the store lost here the log still has.
            LOG.atWarn().setCause(e).log("failed to close the store");
        }
        close(directory);
    }

    private static void close(DataDirectory directory) {
        try {
            directory.close();
        } catch (IOException e) {
            LOG.atWarn().setCause(e).log("failed to give the data directory free");
        }
    }
}

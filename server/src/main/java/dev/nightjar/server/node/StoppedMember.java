/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.node;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The directory of a member that does not run, to be looked at: locked, so that no server starts meanwhile, and not
 * changed. One thread.
 */
public final class StoppedMember implements AutoCloseable {

    private final Path root;
    private final Identity identity;
    private final @Nullable FileChannel lockFile;

    private StoppedMember(Path root, Identity identity, @Nullable FileChannel lockFile) {
        this.root = root;
        this.identity = identity;
        this.lockFile = lockFile;
    }

    /**
     * Locks a directory. A copy of one may be without its lock file; nothing is locked then.
     *
     * @throws UnusableFilesException if it is not a member's, or a server has it
     */
    public static StoppedMember open(Path root) throws UnusableFilesException {
        try {
            if (!Files.isDirectory(root)) {
                throw new UnusableFilesException("there is no data directory " + root);
            }
            DataDirectory.refuseForeign(root, DataDirectory.names(root));
            if (!Files.exists(root.resolve(DataDirectory.FORMAT_FILE))) {
                throw new UnusableFilesException("no server has ever written to the data directory " + root);
            }
            FileChannel lockFile = lock(root);
            boolean opened = false;
            try {
                StoppedMember member = new StoppedMember(root, DataDirectory.readFormat(root), lockFile);
                opened = true;
                return member;
            } finally {
                if (!opened && lockFile != null) {
                    lockFile.close();
                }
            }
        } catch (IOException e) {
            throw new UnusableFilesException("cannot read the data directory " + root + ": " + e, e);
        }
    }

    /** Shared, which the lock of a server excludes: so several may look, and need no right to write. */
    private static @Nullable FileChannel lock(Path root) throws IOException, UnusableFilesException {
        Path path = root.resolve(DataDirectory.LOCK);
        if (!Files.exists(path)) {
            return null;
        }
        FileChannel file = FileChannel.open(path, StandardOpenOption.READ);
        FileLock lock = null;
        try {
            lock = file.tryLock(0, Long.MAX_VALUE, true);
        } catch (OverlappingFileLockException e) {
            // A server in this process has it.
            throw inUse(root);
        } finally {
            if (lock == null) {
                file.close();
            }
        }
        if (lock == null) {
            throw inUse(root);
        }
        return file;
    }

    private static UnusableFilesException inUse(Path root) {
        return new UnusableFilesException(
                "the data directory " + root + " is used by another process: stop the server first");
    }

    /** Who the member is whose files these are. */
    public Identity identity() {
        return identity;
    }

    /** The store's directory. */
    public Path store() {
        return root.resolve(DataDirectory.STORE);
    }

    /** The directory of the consensus log. */
    public Path wal() {
        return root.resolve(DataDirectory.WAL);
    }

    /** The directory of the snapshots. */
    public Path snapshots() {
        return root.resolve(DataDirectory.SNAP);
    }

    /** Bytes of the consensus log's files. */
    public long walBytes() throws IOException {
        Path wal = root.resolve(DataDirectory.WAL);
        if (!Files.isDirectory(wal)) {
            return 0;
        }
        long bytes = 0;
        try (Stream<Path> entries = Files.walk(wal)) {
            List<Path> files = entries.filter(Files::isRegularFile).toList();
            for (Path file : files) {
                bytes += Files.size(file);
            }
        }
        return bytes;
    }

    /** Gives the directory free. */
    @Override
    public void close() throws IOException {
        if (lockFile != null) {
            lockFile.close();
        }
    }
}

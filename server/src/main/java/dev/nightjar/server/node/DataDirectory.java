/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.node;

import dev.nightjar.server.StartFailure;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The files of a member:
 *
 * <pre>
 *   wal/     the consensus log
 *   store/   the keys: segments
 *   snap/    consensus snapshots: hard links
 *   LOCK     held for as long as a process uses the directory
 *   format   the version of this layout
 * </pre>
 *
 * <p>A directory that holds anything else is not touched. Used by the thread that starts or stops the server.
 */
final class DataDirectory implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(DataDirectory.class);
    private static final String FORMAT = "nightjar 1\n";
    private static final Set<String> OWN_NAMES = Set.of("wal", "store", "snap", "LOCK", "format");

    private final Path root;
    private final boolean fresh;
    private final FileChannel lockFile;
    private final FileLock lock;

    private DataDirectory(Path root, boolean fresh, FileChannel lockFile, FileLock lock) {
        this.root = root;
        this.fresh = fresh;
        this.lockFile = lockFile;
        this.lock = lock;
    }

    /**
     * Takes a directory, creating it if needed.
     *
     * @throws StartFailure if it belongs to something else or is in use
     */
    static DataDirectory open(Path root) throws StartFailure {
        try {
            if (!Files.exists(root)) {
                Files.createDirectories(
                        root, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
            }
            Set<String> names = names(root);
            boolean fresh = !names.contains("format");
            if (fresh) {
                refuseForeign(root, names);
            }
            FileChannel lockFile =
                    FileChannel.open(root.resolve("LOCK"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            FileLock lock = tryLock(lockFile);
            if (lock == null) {
                lockFile.close();
                throw new StartFailure("the data directory " + root + " is used by another process");
            }
            checkFormat(root, fresh);
            warnOfStrangers(root, names);
            return new DataDirectory(root, fresh, lockFile, lock);
        } catch (IOException e) {
            throw new StartFailure("cannot use the data directory " + root + ": " + e.getMessage(), e);
        }
    }

    private static @org.jspecify.annotations.Nullable FileLock tryLock(FileChannel file) throws IOException {
        try {
            return file.tryLock();
        } catch (OverlappingFileLockException e) {
            return null;
        }
    }

    private static void refuseForeign(Path root, Set<String> names) throws StartFailure {
        Set<String> foreign = new TreeSet<>(names);
        foreign.removeAll(List.of("LOCK"));
        if (foreign.contains("member")) {
            throw new StartFailure("the data directory " + root + " belongs to an etcd server; its files cannot be read");
        }
        if (!foreign.isEmpty()) {
            throw new StartFailure("the data directory " + root + " is not empty and not Nightjar's: it holds "
                    + String.join(", ", foreign));
        }
    }

    private static void checkFormat(Path root, boolean fresh) throws IOException, StartFailure {
        Path file = root.resolve("format");
        if (fresh) {
            Path temporary = root.resolve("format.tmp");
            try (FileChannel channel = FileChannel.open(
                    temporary,
                    StandardOpenOption.CREATE,
                    StandardOpenOption.WRITE,
                    StandardOpenOption.TRUNCATE_EXISTING)) {
                channel.write(java.nio.charset.StandardCharsets.US_ASCII.encode(FORMAT));
                channel.force(true);
            }
            Files.move(temporary, file, java.nio.file.StandardCopyOption.ATOMIC_MOVE);
            try (FileChannel directory = FileChannel.open(root, StandardOpenOption.READ)) {
                directory.force(true);
            }
            return;
        }
        String found = Files.readString(file);
        if (!found.equals(FORMAT)) {
            throw new StartFailure(
                    file + " says \"" + found.strip() + "\", but this version only knows \"" + FORMAT.strip() + "\"");
        }
    }

    private static void warnOfStrangers(Path root, Set<String> names) {
        for (String name : names) {
            if (!OWN_NAMES.contains(name)) {
                LOG.atWarn()
                        .addKeyValue("filename", name)
                        .addKeyValue("data-dir", root)
                        .log("found invalid file under data directory");
            }
        }
    }

    private static Set<String> names(Path root) throws IOException {
        try (Stream<Path> entries = Files.list(root)) {
            return entries.map(entry -> entry.getFileName().toString())
                    .filter(name -> !name.equals("format.tmp"))
                    .collect(Collectors.toCollection(TreeSet::new));
        }
    }

    /** Whether nothing was here before. */
    boolean isFresh() {
        return fresh;
    }

    Path wal() {
        return root.resolve("wal");
    }

    Path store() {
        return root.resolve("store");
    }

    Path snapshots() {
        return root.resolve("snap");
    }

    /** Gives the directory free. */
    @Override
    public void close() throws IOException {
        lock.release();
        lockFile.close();
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.node;

import dev.nightjar.consensus.MemberId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The files of a member:
 *
 * <pre>
 *   wal/     the consensus log
 *   store/   the keys: segments
 *   snap/    consensus snapshots: hard links
 *   reserve  room for the day when the disk is full
 *   LOCK     held for as long as a process uses the directory
 *   format   the version of this layout, and whose files these are
 * </pre>
 *
 * <p>A directory that holds anything else is not touched. Used by the thread that starts or stops the server.
 */
final class DataDirectory implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(DataDirectory.class);
    private static final Pattern FORMAT =
            Pattern.compile("nightjar 1\ncluster ([0-9a-f]{1,16})\nmember ([0-9a-f]{1,16})\n");
    /** Names that a refusal tells: enough to know the place by, and a line that can be read. */
    private static final int NAMES_TOLD = 5;

    private static final String FORMAT_TEMPORARY = "format.tmp";
    static final String FORMAT_FILE = "format";
    static final String LOCK = "LOCK";
    static final String WAL = "wal";
    static final String STORE = "store";
    static final String SNAP = "snap";
    static final String RESERVE = "reserve";

    /** In the root of a fresh volume, which is often mounted right at the data directory. */
    private static final String FILE_SYSTEMS_OWN = "lost+found";

    private static final Set<String> OWN_NAMES = Set.of(WAL, STORE, SNAP, RESERVE, LOCK, FORMAT_FILE, FILE_SYSTEMS_OWN);

    private final Path root;
    private final Identity identity;
    private final FileChannel lockFile;
    private final FileLock lock;

    private DataDirectory(Path root, Identity identity, FileChannel lockFile, FileLock lock) {
        this.root = root;
        this.identity = identity;
        this.lockFile = lockFile;
        this.lock = lock;
    }

    /**
     * Takes a directory, creating it if needed.
     *
     * @param whenFresh who the member is if the directory is new
     * @throws UnusableFilesException if it belongs to something else or is in use
     */
    static DataDirectory open(Path root, Identity whenFresh) throws UnusableFilesException {
        try {
            if (!Files.exists(root)) {
                Files.createDirectories(
                        root, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
            }
            refuseForeign(root, names(root));
            FileChannel lockFile =
                    FileChannel.open(root.resolve(LOCK), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            try {
                return open(root, whenFresh, lockFile);
            } catch (IOException | UnusableFilesException e) {
                lockFile.close();
                throw e;
            }
        } catch (IOException e) {
            throw new UnusableFilesException("cannot use the data directory " + root + ": " + e, e);
        }
    }

    private static DataDirectory open(Path root, Identity whenFresh, FileChannel lockFile)
            throws IOException, UnusableFilesException {
        FileLock lock = tryLock(lockFile);
        if (lock == null) {
            throw new UnusableFilesException("the data directory " + root + " is used by another process");
        }
        if (!Files.exists(root.resolve(FORMAT_FILE))) {
            writeFormat(root, whenFresh);
        }
        warnOfStrangers(root, names(root));
        return new DataDirectory(root, readFormat(root), lockFile, lock);
    }

    private static @Nullable FileLock tryLock(FileChannel file) throws IOException {
        try {
            return file.tryLock();
        } catch (OverlappingFileLockException e) {
            return null;
        }
    }

    static void refuseForeign(Path root, Set<String> names) throws UnusableFilesException {
        if (names.contains(FORMAT_FILE)) {
            return;
        }
        Set<String> foreign = new TreeSet<>(names);
        foreign.removeAll(Set.of(LOCK, FILE_SYSTEMS_OWN));
        if (foreign.contains("member")) {
            throw new UnusableFilesException(
                    "the data directory " + root + " belongs to an etcd server; its files cannot be read");
        }
        if (!foreign.isEmpty()) {
            throw new UnusableFilesException(
                    "the data directory " + root + " is not empty and not Nightjar's: it holds " + someOf(foreign));
        }
    }

    private static String someOf(Set<String> names) {
        String some = names.stream().limit(NAMES_TOLD).collect(Collectors.joining(", "));
        return names.size() <= NAMES_TOLD ? some : some + " and " + (names.size() - NAMES_TOLD) + " more";
    }

    private static void writeFormat(Path root, Identity identity) throws IOException {
        String text = "nightjar 1\ncluster " + Long.toHexString(identity.clusterId()) + "\nmember "
                + identity.memberId() + "\n";
        Path temporary = root.resolve(FORMAT_TEMPORARY);
        try (FileChannel channel = FileChannel.open(
                temporary, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING)) {
            ByteBuffer bytes = StandardCharsets.US_ASCII.encode(text);
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
            channel.force(true);
        }
        Files.move(temporary, root.resolve(FORMAT_FILE), StandardCopyOption.ATOMIC_MOVE);
        try (FileChannel directory = FileChannel.open(root, StandardOpenOption.READ)) {
            directory.force(true);
        }
    }

    static Identity readFormat(Path root) throws IOException, UnusableFilesException {
        Path file = root.resolve(FORMAT_FILE);
        String text = Files.readString(file, StandardCharsets.ISO_8859_1);
        Matcher matcher = FORMAT.matcher(text);
        if (!matcher.matches()) {
            throw new UnusableFilesException(file + " is not of a form that this version knows: it begins with \""
                    + text.lines().findFirst().orElse("") + "\"");
        }
        return new Identity(Long.parseUnsignedLong(matcher.group(1), 16), MemberId.parse(matcher.group(2)));
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

    static Set<String> names(Path root) throws IOException {
        try (Stream<Path> entries = Files.list(root)) {
            return entries.map(entry -> entry.getFileName().toString())
                    .filter(name -> !name.equals(FORMAT_TEMPORARY))
                    .collect(Collectors.toCollection(TreeSet::new));
        }
    }

    /** Who the member is whose files these are. */
    Identity identity() {
        return identity;
    }

    Path wal() {
        return root.resolve(WAL);
    }

    Path store() {
        return root.resolve(STORE);
    }

    Path snapshots() {
        return root.resolve(SNAP);
    }

    Path reserve() {
        return root.resolve(RESERVE);
    }

    /** Gives the directory free. */
    @Override
    public void close() throws IOException {
        lock.release();
        lockFile.close();
    }
}

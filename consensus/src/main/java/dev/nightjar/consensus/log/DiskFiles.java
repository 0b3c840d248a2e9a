/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.consensus.log;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** A directory of the machine's own file system. */
public final class DiskFiles implements LogFiles {
    private final Path directory;

    private final Predicate<IOException> room;

    private DiskFiles(Path directory, Predicate<IOException> room) {
        this.directory = directory;
        this.room = room;
    }

    /** Opens a directory, creating it durably if it is missing. */
    public static DiskFiles at(Path directory) throws IOException {
        return at(directory, failure -> false);
    }

    /**
     * The same.
     *
     * @param room is asked when a write failed that must not fail, and tells whether to try again
     */
    public static DiskFiles at(Path directory, Predicate<IOException> room) throws IOException {
        if (!Files.isDirectory(directory)) {
            Files.createDirectories(directory);
            Path parent = directory.toAbsolutePath().getParent();
            if (parent != null) {
                syncDirectory(parent);
            }
        }
        return new DiskFiles(directory, room);
    }

    /** Makes the entries of a directory durable. */
    public static void syncDirectory(Path directory) throws IOException {
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    @Override
    public List<String> list() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(path -> path.toFile().getName()).toList();
        }
    }

    @Override
    public boolean exists(String name) {
        return Files.exists(directory.resolve(name));
    }

    @Override
    public LogFile open(String name) throws IOException {
        return DiskFile.open(directory.resolve(name), room);
    }

    @Override
    public LogFile create(String name) throws IOException {
        return DiskFile.create(directory.resolve(name), room);
    }

    @Override
    public LogFile createOptional(String name, long bytes) throws IOException {
        long usable = directory.toFile().getUsableSpace();
        // 0 may mean that the file system does not tell.
        if (usable != 0 && usable < 2 * bytes) {
            throw new IOException("the disk has room for " + usable + " bytes, the file needs " + bytes);
        }
        return DiskFile.create(directory.resolve(name), failure -> false);
    }

    @Override
    public void rename(String from, String to) throws IOException {
        Files.move(directory.resolve(from), directory.resolve(to), StandardCopyOption.ATOMIC_MOVE);
    }

    @Override
    public void delete(String name) throws IOException {
        Files.deleteIfExists(directory.resolve(name));
    }

    @Override
    public void syncDirectory() throws IOException {
        syncDirectory(directory);
    }

    @Override
    public String describe(String name) {
        return directory.resolve(name).toString();
    }
}

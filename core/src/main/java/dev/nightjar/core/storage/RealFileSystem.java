/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.storage;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The machine's own file system. Stateless. A thread that is interrupted while it writes loses the file (so the
 * platform has it), which stops the store: do not interrupt the apply thread.
 */
final class RealFileSystem implements FileSystem {

    /** The one that opens a log, and one beside it: more wait for the disk or the memory. */
    private static final int READERS = 2;

    private final Predicate<IOException> room;

    RealFileSystem(Predicate<IOException> room) {
        this.room = room;
    }

    @Override
    public int readers() {
        return READERS;
    }

    @Override
    public boolean makeRoom(IOException failure) {
        return room.test(failure);
    }

    @Override
    public void createDirectories(Path directory) throws IOException {
        Files.createDirectories(directory);
    }

    @Override
    public boolean exists(Path path) {
        return Files.exists(path);
    }

    @Override
    public List<String> list(Path directory) throws IOException {
        try (Stream<Path> entries = Files.list(directory)) {
            return entries.map(path -> String.valueOf(path.getFileName()))
                    .sorted()
                    .toList();
        }
    }

    @Override
    public StoreFile open(Path path, boolean create) throws IOException {
        return new RealFile(
                path,
                create
                        ? FileChannel.open(
                                path, StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW)
                        : FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE));
    }

    @Override
    public StoreFile openToRead(Path path) throws IOException {
        return new RealFile(path, FileChannel.open(path, StandardOpenOption.READ));
    }

    @Override
    public void delete(Path path) throws IOException {
        Files.delete(path);
    }

    @Override
    public void rename(Path source, Path target) throws IOException {
        Files.move(source, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    @Override
    public void link(Path link, Path existing) throws IOException {
        Files.createLink(link, existing);
    }

    @Override
    public void syncDirectory(Path directory) throws IOException {
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    @Override
    public Lock lock(Path path) throws IOException {
        FileChannel channel = FileChannel.open(path, StandardOpenOption.WRITE, StandardOpenOption.CREATE);
        FileLock lock = null;
        try {
            lock = tryLock(channel);
            if (lock == null) {
                throw new IOException(path + " is locked: another process uses this directory");
            }
            return channel::close;
        } finally {
            if (lock == null) {
                channel.close();
            }
        }
    }

    private static @Nullable FileLock tryLock(FileChannel channel) throws IOException {
        try {
            return channel.tryLock();
        } catch (OverlappingFileLockException e) {
            // Held by this process.
            return null;
        }
    }

    /** Names the file in every failure; the platform says no more than "No space left on device". */
    private record RealFile(Path path, FileChannel channel) implements StoreFile {

        @Override
        public int write(ByteBuffer source, long position) throws IOException {
            try {
                return channel.write(source, position);
            } catch (IOException e) {
                throw named("write", e);
            }
        }

        @Override
        public int read(ByteBuffer target, long position) throws IOException {
            try {
                return channel.read(target, position);
            } catch (IOException e) {
                throw named("read", e);
            }
        }

        @Override
        public long size() throws IOException {
            return channel.size();
        }

        @Override
        public void setSize(long bytes) throws IOException {
            try {
                long now = channel.size();
                if (bytes < now) {
                    channel.truncate(bytes);
                } else if (bytes > now) {
                    channel.write(ByteBuffer.allocate(1), bytes - 1);
                }
            } catch (IOException e) {
                throw named("change of size", e);
            }
        }

        @Override
        public void sync() throws IOException {
            try {
                channel.force(false);
            } catch (IOException e) {
                throw named("sync", e);
            }
        }

        @Override
        public MemorySegment map(long bytes) throws IOException {
            try {
                return channel.map(FileChannel.MapMode.READ_ONLY, 0, bytes, Arena.ofAuto());
            } catch (IOException e) {
                throw named("map", e);
            }
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }

        private IOException named(String what, IOException cause) {
            return new IOException(path + ": " + what + ": " + cause.getMessage(), cause);
        }
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.storage;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Predicate;

/** The part of a file system that the store needs; any thread. */
public interface FileSystem {

    /** The file system of the machine. */
    static FileSystem real() {
        return real(failure -> false);
    }

    /** The same; {@code room} is asked by {@link #makeRoom}. */
    static FileSystem real(Predicate<IOException> room) {
        return new RealFileSystem(room);
    }

    /**
     * Asked when a write failed that must not fail, as what it holds was promised already: true if the disk was full and
     * may have room now, so that the write is worth another try. May wait for that.
     */
    default boolean makeRoom(IOException failure) {
        return false;
    }

    /** From how many threads large reads at the same time are of use; at least 1. */
    default int readers() {
        return 1;
    }

    /** Creates a directory and its parents; no effect if it is there. */
    void createDirectories(Path directory) throws IOException;

    boolean exists(Path path) throws IOException;

    /** Names of the entries of a directory, sorted. */
    List<String> list(Path directory) throws IOException;

    /** Opens a file for reading and writing; creates it if {@code create}, which then must not exist. */
    StoreFile open(Path path, boolean create) throws IOException;

    /** Opens an existing file that is only read; any other call on it may fail. */
    default StoreFile openToRead(Path path) throws IOException {
        return open(path, false);
    }

    /** Removes a file or an empty directory. */
    void delete(Path path) throws IOException;

    /** Renames, replacing the target, in one step that a crash cannot split. */
    void rename(Path source, Path target) throws IOException;

    /** Gives an existing file a second name. */
    void link(Path link, Path existing) throws IOException;

    /** Makes the names in a directory durable. */
    void syncDirectory(Path directory) throws IOException;

    /**
     * Takes the lock of a file, creating it.
     *
     * @throws IOException if another holder, in this process or another, has it
     */
    Lock lock(Path path) throws IOException;

    /** A lock that is held. */
    @FunctionalInterface
    interface Lock extends AutoCloseable {
        @Override
        void close() throws IOException;
    }

    /** An open file. */
    interface StoreFile extends AutoCloseable {

        /** Writes some of the buffer at a position, as one system call; returns how many bytes. */
        int write(ByteBuffer source, long position) throws IOException;

        /** Reads into the buffer from a position, as one system call; returns how many bytes, -1 at the end. */
        int read(ByteBuffer target, long position) throws IOException;

        long size() throws IOException;

        /** Cuts the file, or lengthens it with zeros, for which the disk need not have room yet. */
        void setSize(long bytes) throws IOException;

        /** Makes content and size durable. */
        void sync() throws IOException;

        /**
         * Maps the first bytes for reading; the file is at least that long. Valid as long as it is reachable.
         *
         * <p>Only bytes that have been written may be read from the map. The machine has to find room for any other as it
         * is read, and if the disk is full it ends the process with a signal.
         */
        MemorySegment map(long bytes) throws IOException;

        @Override
        void close() throws IOException;
    }
}

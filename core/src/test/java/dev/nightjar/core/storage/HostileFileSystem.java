/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.storage;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A file system in memory that does to a store what disks and machines do: it loses and tears what was not synced, takes
 * only part of a write, runs full, fails, flips bits. It refuses to map what has never been written: a machine may end a
 * process that reads it. Thread-safe.
 */
public final class HostileFileSystem implements FileSystem {

    private final Map<Path, Inode> names = new TreeMap<>();
    private final Map<Path, Inode> durableNames = new TreeMap<>();
    private final Set<Path> directories = new HashSet<>();
    private final Set<Path> locked = new HashSet<>();
    private long freeBytes = Long.MAX_VALUE;
    private int reliefs;
    private long reliefBytes;
    private int failingSyncs;
    private @Nullable Random shortWrites;
    private long syncs;
    private long operationsLeft = Long.MAX_VALUE;

    // ---- what a test can do to it

    /** Lets this many bytes more be written; then the disk is full. */
    public synchronized void setFreeBytes(long bytes) {
        freeBytes = bytes;
    }

    /** When a write that must not fail finds the disk full, somebody frees so much, this often. */
    public synchronized void freeWhenAsked(int times, long bytes) {
        reliefs = times;
        reliefBytes = bytes;
    }

    @Override
    public synchronized boolean makeRoom(IOException failure) {
        if (reliefs == 0) {
            return false;
        }
        reliefs--;
        freeBytes += reliefBytes;
        return true;
    }

    /** Makes the next syncs of a file fail. */
    public synchronized void failSyncs(int count) {
        failingSyncs = count;
    }

    /** From now on takes only a random part of each write and gives only a random part for each read. */
    public synchronized void writeShort(Random random) {
        shortWrites = random;
    }

    /** Lets so many changes more be made; then every one fails, as if the disk had gone. */
    public synchronized void stopAfter(long operations) {
        operationsLeft = operations;
    }

    private void change() throws IOException {
        if (operationsLeft <= 0) {
            throw new IOException("Input/output error");
        }
        operationsLeft--;
    }

    public synchronized long syncs() {
        return syncs;
    }

    /** Changes one byte of a file as it is and as it is on disk. */
    public synchronized void flip(Path path, long offset, int mask) {
        Inode inode = names.get(path);
        if (inode == null) {
            throw new IllegalArgumentException(path.toString());
        }
        byte old = inode.bytes()[(int) offset];
        inode.write(offset, new byte[] {(byte) (old ^ mask)});
        inode.syncContent();
    }

    /** Cuts a file as it is and as it is on disk. */
    public synchronized void truncate(Path path, long size) {
        Inode inode = names.get(path);
        if (inode == null) {
            throw new IllegalArgumentException(path.toString());
        }
        inode.resize(size);
        inode.syncContent();
    }

    /** Forgets a file at once. */
    public synchronized void lose(Path path) {
        names.remove(path);
        durableNames.remove(path);
    }

    public synchronized byte[] content(Path path) {
        Inode inode = names.get(path);
        if (inode == null) {
            throw new IllegalArgumentException(path.toString());
        }
        return inode.bytes();
    }

    /** What an independent disk with the same content would hold. */
    public synchronized HostileFileSystem copy() {
        return survivor(Inode::copy, names);
    }

    /**
     * What is left after a power loss: all that was synced, and of each later write nothing, all or a part, as it
     * happens.
     */
    public synchronized HostileFileSystem crash(Random random) {
        Map<Path, Inode> survived = new TreeMap<>(durableNames);
        for (Map.Entry<Path, Inode> entry : names.entrySet()) {
            if (!durableNames.containsKey(entry.getKey()) && random.nextBoolean()) {
                survived.put(entry.getKey(), entry.getValue());
            }
        }
        for (Path path : durableNames.keySet()) {
            Inode now = names.get(path);
            if (random.nextBoolean()) {
                if (now == null) {
                    survived.remove(path);
                } else {
                    survived.put(path, now);
                }
            }
        }
        return survivor(inode -> inode.afterCrash(random), survived);
    }

    private HostileFileSystem survivor(UnaryOperator<Inode> fate, Map<Path, Inode> kept) {
        HostileFileSystem result = new HostileFileSystem();
        result.directories.addAll(directories);
        Map<Inode, Inode> copies = new HashMap<>();
        kept.forEach((path, inode) -> {
            Inode copy = copies.computeIfAbsent(inode, fate);
            result.names.put(path, copy);
            result.durableNames.put(path, copy);
        });
        return result;
    }

    // ---- FileSystem

    @Override
    public synchronized void createDirectories(Path directory) {
        for (Path path = directory; path != null; path = path.getParent()) {
            directories.add(path);
        }
    }

    @Override
    public synchronized boolean exists(Path path) {
        return names.containsKey(path) || directories.contains(path);
    }

    @Override
    public synchronized List<String> list(Path directory) {
        List<String> result = new ArrayList<>();
        for (Path path : names.keySet()) {
            if (directory.equals(path.getParent())) {
                result.add(String.valueOf(path.getFileName()));
            }
        }
        for (Path path : directories) {
            if (directory.equals(path.getParent())) {
                result.add(String.valueOf(path.getFileName()));
            }
        }
        return result.stream().sorted().toList();
    }

    @Override
    public synchronized StoreFile open(Path path, boolean create) throws IOException {
        Inode inode = names.get(path);
        if (create) {
            if (inode != null) {
                throw new FileAlreadyExistsException(path.toString());
            }
            change();
            inode = new Inode();
            names.put(path, inode);
        } else if (inode == null) {
            throw new FileNotFoundException(path.toString());
        }
        return new OpenFile(inode);
    }

    @Override
    public synchronized void delete(Path path) throws IOException {
        change();
        if (names.remove(path) == null && !directories.remove(path)) {
            throw new FileNotFoundException(path.toString());
        }
    }

    @Override
    public synchronized void rename(Path source, Path target) throws IOException {
        change();
        Inode inode = names.remove(source);
        if (inode == null) {
            throw new FileNotFoundException(source.toString());
        }
        names.put(target, inode);
    }

    @Override
    public synchronized void link(Path link, Path existing) throws IOException {
        change();
        Inode inode = names.get(existing);
        if (inode == null || names.containsKey(link)) {
            throw new IOException("cannot link " + link + " to " + existing);
        }
        names.put(link, inode);
    }

    @Override
    public synchronized void syncDirectory(Path directory) throws IOException {
        change();
        durableNames.keySet().removeIf(path -> directory.equals(path.getParent()) && !names.containsKey(path));
        names.forEach((path, inode) -> {
            if (directory.equals(path.getParent())) {
                durableNames.put(path, inode);
            }
        });
    }

    @Override
    public synchronized Lock lock(Path path) throws IOException {
        if (!locked.add(path)) {
            throw new IOException(path + " is locked: another process uses this directory");
        }
        return () -> {
            synchronized (HostileFileSystem.this) {
                locked.remove(path);
            }
        };
    }

    // ---- files

    private final class OpenFile implements StoreFile {
        private final Inode inode;
        private boolean open = true;

        OpenFile(Inode inode) {
            this.inode = inode;
        }

        @Override
        public int write(ByteBuffer source, long position) throws IOException {
            synchronized (HostileFileSystem.this) {
                requireOpen();
                change();
                int count = source.remaining();
                if (shortWrites != null && count > 1) {
                    count = 1 + shortWrites.nextInt(count);
                }
                if (freeBytes == 0) {
                    throw new IOException("No space left on device");
                }
                count = (int) Math.min(count, freeBytes);
                freeBytes -= count;
                byte[] bytes = new byte[count];
                source.get(bytes);
                inode.write(position, bytes);
                return count;
            }
        }

        @Override
        public int read(ByteBuffer target, long position) throws IOException {
            synchronized (HostileFileSystem.this) {
                requireOpen();
                if (position >= inode.size()) {
                    return -1;
                }
                int count = (int) Math.min(target.remaining(), inode.size() - position);
                if (shortWrites != null && count > 1) {
                    count = 1 + shortWrites.nextInt(count);
                }
                target.put(inode.bytes(), (int) position, count);
                return count;
            }
        }

        @Override
        public long size() throws IOException {
            synchronized (HostileFileSystem.this) {
                requireOpen();
                return inode.size();
            }
        }

        @Override
        public void setSize(long bytes) throws IOException {
            synchronized (HostileFileSystem.this) {
                requireOpen();
                change();
                if (bytes > inode.size() && freeBytes == 0) {
                    throw new IOException("No space left on device");
                }
                inode.setSize(bytes);
            }
        }

        @Override
        public void sync() throws IOException {
            synchronized (HostileFileSystem.this) {
                requireOpen();
                change();
                if (failingSyncs > 0) {
                    failingSyncs--;
                    throw new IOException("Input/output error");
                }
                syncs++;
                inode.syncContent();
            }
        }

        @Override
        public MemorySegment map(long bytes) throws IOException {
            synchronized (HostileFileSystem.this) {
                requireOpen();
                if (bytes > inode.size()) {
                    throw new IOException("mapping beyond the end");
                }
                return inode.view(bytes);
            }
        }

        @Override
        public void close() {
            synchronized (HostileFileSystem.this) {
                open = false;
            }
        }

        private void requireOpen() throws IOException {
            if (!open) {
                throw new IOException("the file is closed");
            }
        }
    }
}

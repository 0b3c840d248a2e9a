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

/** A file system as it is: whoever looks through this can change nothing. Any thread. */
final class ReadOnlyFileSystem implements FileSystem {

    private final FileSystem files;

    ReadOnlyFileSystem(FileSystem files) {
        this.files = files;
    }

    private static IOException refused(Path path) {
        return new IOException(path + " was to be changed while it is only looked at");
    }

    @Override
    public boolean exists(Path path) throws IOException {
        return files.exists(path);
    }

    @Override
    public List<String> list(Path directory) throws IOException {
        return files.list(directory);
    }

    @Override
    public StoreFile open(Path path, boolean create) throws IOException {
        if (create) {
            throw refused(path);
        }
        return new LookedAt(path, files.openToRead(path));
    }

    @Override
    public StoreFile openToRead(Path path) throws IOException {
        return open(path, false);
    }

    @Override
    public void createDirectories(Path directory) throws IOException {
        throw refused(directory);
    }

    @Override
    public void delete(Path path) throws IOException {
        throw refused(path);
    }

    @Override
    public void rename(Path source, Path target) throws IOException {
        throw refused(source);
    }

    @Override
    public void link(Path link, Path existing) throws IOException {
        throw refused(link);
    }

    @Override
    public void syncDirectory(Path directory) throws IOException {
        throw refused(directory);
    }

    @Override
    public Lock lock(Path path) throws IOException {
        throw refused(path);
    }

    private record LookedAt(Path path, StoreFile file) implements StoreFile {

        @Override
        public int read(ByteBuffer target, long position) throws IOException {
            return file.read(target, position);
        }

        @Override
        public long size() throws IOException {
            return file.size();
        }

        @Override
        public MemorySegment map(long bytes) throws IOException {
            return file.map(bytes);
        }

        @Override
        public int write(ByteBuffer source, long position) throws IOException {
            throw refused(path);
        }

        @Override
        public void setSize(long bytes) throws IOException {
            throw refused(path);
        }

        @Override
        public void sync() throws IOException {
            throw refused(path);
        }

        @Override
        public void close() throws IOException {
            file.close();
        }
    }
}

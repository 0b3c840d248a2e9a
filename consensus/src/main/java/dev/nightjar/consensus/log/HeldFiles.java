/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.consensus.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * Files that may be read at once, and changed only when somebody has allowed it: whoever changes them waits for that. Any
 * thread.
 *
 * <p>So a log can be opened while it is not known yet whether the member starts at all: one that does not leaves its disk
 * as it was.
 */
public final class HeldFiles implements LogFiles {
    private final LogFiles files;
    private final Permission permission;

    /** Called before every change. */
    @FunctionalInterface
    public interface Permission {
        /**
         * Returns once changes are allowed.
         *
         * @throws IOException if they never will be
         */
        void await() throws IOException;
    }

    public HeldFiles(LogFiles files, Permission permission) {
        this.files = files;
        this.permission = permission;
    }

    @Override
    public List<String> list() throws IOException {
        return files.list();
    }

    @Override
    public boolean exists(String name) throws IOException {
        return files.exists(name);
    }

    @Override
    public LogFile open(String name) throws IOException {
        return new HeldFile(files.open(name));
    }

    @Override
    public LogFile create(String name) throws IOException {
        permission.await();
        return files.create(name);
    }

    @Override
    public LogFile createOptional(String name, long bytes) throws IOException {
        permission.await();
        return files.createOptional(name, bytes);
    }

    @Override
    public void rename(String from, String to) throws IOException {
        permission.await();
        files.rename(from, to);
    }

    @Override
    public void delete(String name) throws IOException {
        permission.await();
        files.delete(name);
    }

    @Override
    public void syncDirectory() throws IOException {
        permission.await();
        files.syncDirectory();
    }

    @Override
    public String describe(String name) {
        return files.describe(name);
    }

    private final class HeldFile implements LogFile {
        private final LogFile file;

        HeldFile(LogFile file) {
            this.file = file;
        }

        @Override
        public int read(ByteBuffer target, long position) throws IOException {
            return file.read(target, position);
        }

        @Override
        public void write(ByteBuffer source, long position) throws IOException {
            permission.await();
            file.write(source, position);
        }

        @Override
        public void sync() throws IOException {
            permission.await();
            file.sync();
        }

        @Override
        public long size() throws IOException {
            return file.size();
        }

        @Override
        public void truncate(long size) throws IOException {
            permission.await();
            file.truncate(size);
        }

        @Override
        public void close() throws IOException {
            file.close();
        }
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.consensus.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** Counts the files that are open. Any thread. */
public final class CountingFiles implements LogFiles {
    private final LogFiles files;
    private final AtomicInteger opened = new AtomicInteger();
    private final AtomicInteger closed = new AtomicInteger();

    public CountingFiles(LogFiles files) {
        this.files = files;
    }

    /** How often a file was opened. */
    public int opened() {
        return opened.get();
    }

    /** Files that are open now; one that is closed twice counts twice. */
    public int open() {
        return opened.get() - closed.get();
    }

    private LogFile counted(LogFile file) {
        opened.incrementAndGet();
        return new CountedFile(file);
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
        return counted(files.open(name));
    }

    @Override
    public LogFile create(String name) throws IOException {
        return counted(files.create(name));
    }

    @Override
    public void rename(String from, String to) throws IOException {
        files.rename(from, to);
    }

    @Override
    public void delete(String name) throws IOException {
        files.delete(name);
    }

    @Override
    public void syncDirectory() throws IOException {
        files.syncDirectory();
    }

    @Override
    public String describe(String name) {
        return files.describe(name);
    }

    private final class CountedFile implements LogFile {
        private final LogFile file;

        CountedFile(LogFile file) {
            this.file = file;
        }

        @Override
        public int read(ByteBuffer target, long position) throws IOException {
            return file.read(target, position);
        }

        @Override
        public void write(ByteBuffer source, long position) throws IOException {
            file.write(source, position);
        }

        @Override
        public void sync() throws IOException {
            file.sync();
        }

        @Override
        public long size() throws IOException {
            return file.size();
        }

        @Override
        public void truncate(long size) throws IOException {
            file.truncate(size);
        }

        @Override
        public void close() throws IOException {
            closed.incrementAndGet();
            file.close();
        }
    }
}

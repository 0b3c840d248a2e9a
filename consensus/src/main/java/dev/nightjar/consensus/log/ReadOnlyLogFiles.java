/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.consensus.log;

import dev.nightjar.consensus.LogCheck;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** The files of a log that is only looked at: what would be cut or removed is noted instead. One thread. */
final class ReadOnlyLogFiles implements LogFiles {
    private final Path directory;
    private final Consumer<LogCheck.Repair> repairs;

    ReadOnlyLogFiles(Path directory, Consumer<LogCheck.Repair> repairs) {
        this.directory = directory;
        this.repairs = repairs;
    }

    @Override
    public List<String> list() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(path -> path.toFile().getName()).sorted().toList();
        }
    }

    @Override
    public boolean exists(String name) {
        return Files.exists(directory.resolve(name));
    }

    @Override
    public LogFile open(String name) throws IOException {
        return new ReadOnlyFile(describe(name), FileChannel.open(directory.resolve(name), StandardOpenOption.READ));
    }

    @Override
    public LogFile create(String name) throws IOException {
        throw new NoSuchFileException(directory.toString(), null, "there is no log in it");
    }

    @Override
    public void rename(String from, String to) throws IOException {
        throw new IOException(describe(from) + " is only looked at");
    }

    @Override
    public void delete(String name) {
        repairs.accept(new LogCheck.Repair(describe(name), 0, "the log does not need it any more"));
    }

    @Override
    public void syncDirectory() {
        // Nothing was changed.
    }

    @Override
    public String describe(String name) {
        return directory.resolve(name).toString();
    }

    private final class ReadOnlyFile implements LogFile {
        private final String name;
        private final FileChannel channel;

        ReadOnlyFile(String name, FileChannel channel) {
            this.name = name;
            this.channel = channel;
        }

        @Override
        public int read(ByteBuffer target, long position) throws IOException {
            return DiskFile.readFully(channel, target, position);
        }

        @Override
        public void write(ByteBuffer source, long position) throws IOException {
            throw new IOException(name + " is only looked at");
        }

        @Override
        public void sync() {
            // Nothing was changed.
        }

        @Override
        public long size() throws IOException {
            return channel.size();
        }

        @Override
        public void truncate(long size) {
            repairs.accept(new LogCheck.Repair(name, size, "what a crash left of a write"));
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }
}

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.consensus.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A file of the machine's own file system. One thread writes; any thread reads.
 *
 * <p>The JDK closes a channel when a thread is interrupted in it. Readers therefore have a channel of their own, which is
 * opened again when that happens, so that an interrupted reader cannot make the log fail.
 */
final class DiskFile implements LogFile {
    private final Path path;
    private final FileChannel writer;

    /** Guarded by this for writing; readers work on the one they have seen. */
    private volatile @Nullable FileChannel reader;

    private volatile boolean closed;

    /** Asked when a write failed: whether to try again. */
    private final Predicate<IOException> room;

    private DiskFile(Path path, FileChannel writer, Predicate<IOException> room) {
        this.path = path;
        this.writer = writer;
        this.room = room;
    }

    static DiskFile open(Path path, Predicate<IOException> room) throws IOException {
        return new DiskFile(path, FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE), room);
    }

    static DiskFile create(Path path, Predicate<IOException> room) throws IOException {
        return new DiskFile(
                path,
                FileChannel.open(
                        path,
                        StandardOpenOption.CREATE,
                        StandardOpenOption.TRUNCATE_EXISTING,
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE),
                room);
    }

    @Override
    public int read(ByteBuffer target, long position) throws IOException {
        int start = target.position();
        boolean interrupted = false;
        try {
            while (true) {
                FileChannel channel = reader();
                try {
                    return readFully(channel, target, position);
                } catch (ClosedChannelException e) {
                    if (closed) {
                        throw e;
                    }
                    interrupted |= Thread.interrupted();
                    target.position(start);
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    static int readFully(FileChannel channel, ByteBuffer target, long position) throws IOException {
        int total = 0;
        while (target.hasRemaining()) {
            int n = channel.read(target, position + total);
            if (n < 0) {
                break;
            }
            total += n;
        }
        return total;
    }

    private FileChannel reader() throws IOException {
        FileChannel channel = reader;
        if (channel != null && channel.isOpen()) {
            return channel;
        }
        synchronized (this) {
            channel = reader;
            if (channel == null || !channel.isOpen()) {
                if (closed) {
                    throw new ClosedChannelException();
                }
                channel = FileChannel.open(path, StandardOpenOption.READ);
                reader = channel;
            }
            return channel;
        }
    }

    @Override
    public void write(ByteBuffer source, long position) throws IOException {
        long at = position;
        while (source.hasRemaining()) {
            try {
                at += writer.write(source, at);
            } catch (IOException e) {
                if (!room.test(e)) {
                    throw named("write", e);
                }
            }
        }
    }

    @Override
    public void sync() throws IOException {
        try {
            writer.force(false);
        } catch (IOException e) {
            throw named("sync", e);
        }
    }

    @Override
    public long size() throws IOException {
        return writer.size();
    }

    @Override
    public void truncate(long size) throws IOException {
        try {
            writer.truncate(size);
        } catch (IOException e) {
            throw named("cut", e);
        }
    }

    /** The platform says no more than "No space left on device". */
    private IOException named(String what, IOException cause) {
        return new IOException(path + ": " + what + ": " + cause.getMessage(), cause);
    }

    @Override
    public void close() throws IOException {
        synchronized (this) {
            closed = true;
            FileChannel channel = reader;
            if (channel != null) {
                channel.close();
            }
        }
        writer.close();
    }
}

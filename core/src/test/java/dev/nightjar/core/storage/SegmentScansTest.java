/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.storage;

import static dev.nightjar.core.storage.LogSteps.all;
import static dev.nightjar.core.storage.LogSteps.append;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A log whose files are read by several threads is the one that a single thread finds. */
class SegmentScansTest {

    private static final Path STORE = Path.of("/store");
    private static final Path DATA = STORE.resolve("data-00000001");
    private static final int SEGMENT_BYTES = 1024;
    private static final int RECORDS = 60;

    private final HostileFileSystem one = new HostileFileSystem();
    private final ManyReaders many = new ManyReaders(one);

    private final ExecutorService helpers = Executors.newFixedThreadPool(2);

    @AfterEach
    void stop() {
        helpers.close();
    }

    @BeforeEach
    void fill() throws IOException {
        try (SegmentLog log = open(one)) {
            for (int i = 2; i < 2 + RECORDS; i++) {
                append(log, i, "key", "value-" + i);
            }
        }
        assertThat(one.list(DATA)).hasSizeGreaterThan(5);
    }

    @Test
    void theRecordsComeInTheOrderOfTheLog() throws IOException {
        List<String> wanted;
        try (SegmentLog log = open(one)) {
            wanted = all(log);
        }
        assertThat(wanted).hasSize(RECORDS);
        try (SegmentLog log = open(many)) {
            assertThat(all(log)).isEqualTo(wanted);
            append(log, 2 + RECORDS, "key", "after");
        }
        assertThat(many.open).hasValue(0);
    }

    @Test
    void theFirstDamageIsNamedAndEveryFileClosed() throws IOException {
        List<String> names = one.list(DATA);
        for (String name : List.of(names.get(2), names.get(4))) {
            one.flip(DATA.resolve(name), SegmentHeader.BYTES + FrameFormat.HEADER_BYTES + 3, 1);
        }
        CorruptStoreException alone = catchThrowableOfType(CorruptStoreException.class, () -> open(one));
        CorruptStoreException together = catchThrowableOfType(CorruptStoreException.class, () -> open(many));
        assertThat(alone).hasMessageContaining(names.get(2));
        assertThat(together).hasMessage(alone.getMessage());
        assertThat(many.open).hasValue(0);
    }

    @Test
    void aFileThatCannotBeReadIsReportedAndEveryOtherClosed() throws IOException {
        many.unreadable = one.list(DATA).get(3);
        IOException failure = catchThrowableOfType(IOException.class, () -> open(many));
        assertThat(failure).hasMessageContaining("this disk cannot");
        assertThat(many.open).hasValue(0);
    }

    private SegmentLog open(FileSystem files) throws IOException {
        return SegmentLog.open(new SegmentLog.Options(files, STORE, SEGMENT_BYTES, 7, helpers));
    }

    /** Lets several threads read, one after the other, and counts the files that are open. */
    private static final class ManyReaders implements FileSystem {

        private final FileSystem files;
        final AtomicInteger open = new AtomicInteger();
        volatile String unreadable = "";

        ManyReaders(FileSystem files) {
            this.files = files;
        }

        @Override
        public int readers() {
            return 3;
        }

        @Override
        public synchronized StoreFile open(Path path, boolean create) throws IOException {
            StoreFile file = files.open(path, create);
            open.incrementAndGet();
            return new Counted(file, path.endsWith(unreadable));
        }

        @Override
        public void createDirectories(Path directory) throws IOException {
            files.createDirectories(directory);
        }

        @Override
        public boolean exists(Path path) throws IOException {
            return files.exists(path);
        }

        @Override
        public List<String> list(Path directory) throws IOException {
            return new ArrayList<>(files.list(directory));
        }

        @Override
        public void delete(Path path) throws IOException {
            files.delete(path);
        }

        @Override
        public void rename(Path source, Path target) throws IOException {
            files.rename(source, target);
        }

        @Override
        public void link(Path link, Path existing) throws IOException {
            files.link(link, existing);
        }

        @Override
        public void syncDirectory(Path directory) throws IOException {
            files.syncDirectory(directory);
        }

        @Override
        public Lock lock(Path path) throws IOException {
            return files.lock(path);
        }

        private final class Counted implements StoreFile {
            private final StoreFile file;
            private final boolean unreadable;

            Counted(StoreFile file, boolean unreadable) {
                this.file = file;
                this.unreadable = unreadable;
            }

            @Override
            public int write(ByteBuffer source, long position) throws IOException {
                return file.write(source, position);
            }

            @Override
            public int read(ByteBuffer target, long position) throws IOException {
                if (unreadable) {
                    throw new IOException("this disk cannot");
                }
                synchronized (ManyReaders.this) {
                    return file.read(target, position);
                }
            }

            @Override
            public long size() throws IOException {
                return file.size();
            }

            @Override
            public void setSize(long bytes) throws IOException {
                file.setSize(bytes);
            }

            @Override
            public void sync() throws IOException {
                file.sync();
            }

            @Override
            public java.lang.foreign.MemorySegment map(long bytes) throws IOException {
                return file.map(bytes);
            }

            @Override
            public void close() throws IOException {
                open.decrementAndGet();
                file.close();
            }
        }
    }
}

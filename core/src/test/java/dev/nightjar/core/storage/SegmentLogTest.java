/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.storage;

import static dev.nightjar.core.storage.LogSteps.all;
import static dev.nightjar.core.storage.LogSteps.append;
import static dev.nightjar.core.storage.LogSteps.info;
import static dev.nightjar.core.storage.LogSteps.put;
import static dev.nightjar.core.storage.LogSteps.text;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Queue;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SegmentLogTest {

    private static final Path STORE = Path.of("/store");
    private static final Path DATA = STORE.resolve("data-00000001");

    private final HostileFileSystem files = new HostileFileSystem();

    @Test
    void recordsAreReadBackWhereTheyWereWritten() throws IOException {
        try (SegmentLog log = open()) {
            Frame frame = log.begin();
            long first = put(frame, 2, "a", "one");
            long second = put(frame, 3, "b", "");
            assertThat(frame.contains(second)).isTrue();
            log.append(frame, info(5, 3));
            assertThat(text(log, first)).isEqualTo("2 a one");
            assertThat(text(log, second)).isEqualTo("3 b ");
            assertThat(log.last()).isEqualTo(info(5, 3));
        }
        try (SegmentLog log = open()) {
            assertThat(all(log)).containsExactly("2 a one", "3 b ");
            assertThat(log.last()).isEqualTo(info(5, 3));
        }
    }

    @Test
    void scanShowsTheRevisionsAskedForAcrossSegmentsAndStopsWhenTold() throws IOException {
        try (SegmentLog log = open()) {
            for (int revision = 2; revision < 500; revision++) {
                append(log, revision, "key" + revision, "v".repeat(revision % 60));
            }
            assertThat(files.list(DATA)).hasSizeGreaterThan(5);
            for (int from = 1; from < 500; from += 7) {
                List<Long> seen = new ArrayList<>();
                int to = Math.min(499, from + 90);
                assertThat(log.snapshot().scan(from, to, record -> seen.add(record.revision())))
                        .isEqualTo(to + 1);
                assertThat(seen).hasSize(to - Math.max(2, from) + 1).isSorted();
                assertThat(seen.getFirst()).isEqualTo(Math.max(2, from));
            }
            assertThat(log.snapshot().scan(100, 400, record -> record.revision() < 250))
                    .isEqualTo(250);
            assertThat(log.snapshot().scan(600, 700, _ -> true)).isEqualTo(701);
        }
    }

    @Test
    void scanFindsARevisionInsideALargeSegment() throws IOException {
        try (SegmentLog log = SegmentLog.open(options(1 << 20))) {
            for (int revision = 2; revision < 2000; revision++) {
                append(log, revision, "key" + revision, "v".repeat(100));
            }
            assertThat(files.list(DATA)).hasSize(1);
            for (int from = 2; from < 2000; from += 13) {
                long[] first = {0};
                long asked = from;
                assertThat(log.snapshot().scan(from, 1999, record -> {
                            first[0] = record.revision();
                            return false;
                        }))
                        .isEqualTo(asked);
                assertThat(first[0]).isEqualTo(asked);
            }
        }
    }

    @Test
    void frameLargerThanASegmentIsWrittenWhole() throws IOException {
        List<Long> places = new ArrayList<>();
        try (SegmentLog log = open()) {
            append(log, 2, "a", "before");
            Frame frame = log.begin();
            for (int revision = 3; revision < 100; revision++) {
                places.add(put(frame, revision, "big" + revision, "x".repeat(30_000)));
            }
            log.append(frame, info(2, 99));
            append(log, 100, "b", "after");
            assertThat(text(log, places.getLast())).startsWith("99 big99 xxx");
            assertThat(all(log)).hasSize(99);
        }
        try (SegmentLog log = open()) {
            assertThat(all(log)).hasSize(99);
            assertThat(text(log, places.getFirst())).startsWith("3 big3 xxx");
        }
    }

    @Test
    void sealedSegmentsAreSyncedInTheBackgroundAndCutToTheirLength() throws IOException {
        Queue<Runnable> background = new ArrayDeque<>();
        SegmentLog.Options options = new SegmentLog.Options(files, STORE, 2048, 7, background::add);
        try (SegmentLog log = SegmentLog.open(options)) {
            int revision = 2;
            while (background.isEmpty()) {
                append(log, revision, "k" + revision, "some value");
                revision++;
            }
            Path sealed = DATA.resolve(files.list(DATA).getFirst());
            long syncs = files.syncs();
            assertThat(files.content(sealed).length).isGreaterThanOrEqualTo(2048);
            background.remove().run();
            assertThat(files.syncs()).isGreaterThan(syncs);
            assertThat(all(log)).hasSize(revision - 2);
        }
    }

    @Test
    void syncTellsTheAppliedIndexThatIsDurable() throws IOException {
        try (SegmentLog log = open()) {
            append(log, 2, "a", "1");
            append(log, 3, "b", "2");
            assertThat(log.sync()).isEqualTo(3);
        }
    }

    @Test
    void secondOpenIsRefused() throws IOException {
        try (SegmentLog log = open()) {
            assertThat(log.sizeBytes()).isPositive();
            assertThatThrownBy(this::open).isInstanceOf(IOException.class).hasMessageContaining("is locked");
        }
        open().close();
    }

    @Test
    void secondOpenOfARealDirectoryIsRefused(@TempDir Path directory) throws IOException {
        SegmentLog.Options options = new SegmentLog.Options(FileSystem.real(), directory, 4096, 7, Runnable::run);
        try (SegmentLog log = SegmentLog.open(options)) {
            append(log, 2, "a", "1");
            assertThatThrownBy(() -> SegmentLog.open(options))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("LOCK is locked");
        }
        try (SegmentLog log = SegmentLog.open(options)) {
            assertThat(all(log)).containsExactly("2 a 1");
        }
    }

    @Test
    void newerFormatsAreRefusedInClearWords() throws IOException {
        open().close();
        HostileFileSystem newerStore = files.copy();
        newerStore.lose(STORE.resolve("format"));
        String text = "nightjar store\nformat 2\ndata data-00000001\n";
        try (FileSystem.StoreFile file = newerStore.open(STORE.resolve("format"), true)) {
            CRC32C crc = new CRC32C();
            crc.update(text.getBytes(UTF_8));
            String all = text + "crc32c " + HexFormat.of().toHexDigits((int) crc.getValue()) + "\n";
            assertThat(file.write(ByteBuffer.wrap(all.getBytes(UTF_8)), 0)).isPositive();
        }
        assertThatThrownBy(() -> SegmentLog.open(new SegmentLog.Options(newerStore, STORE, 2048, 7, Runnable::run)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("has format 2; this version reads format 1 only");
    }

    @Test
    void foreignFilesAreRefused() throws IOException {
        open().close();
        Path segment = DATA.resolve(files.list(DATA).getFirst());
        HostileFileSystem foreignSegment = files.copy();
        foreignSegment.flip(segment, 0, 0x40);
        assertThatThrownBy(() -> SegmentLog.open(new SegmentLog.Options(foreignSegment, STORE, 2048, 7, Runnable::run)))
                .isInstanceOf(CorruptStoreException.class)
                .hasMessageContaining("damaged or foreign");
        HostileFileSystem foreignStore = files.copy();
        foreignStore.flip(STORE.resolve("format"), 0, 0x40);
        assertThatThrownBy(() -> SegmentLog.open(new SegmentLog.Options(foreignStore, STORE, 2048, 7, Runnable::run)))
                .isInstanceOf(CorruptStoreException.class)
                .hasMessageContaining("not a nightjar store");
    }

    @Test
    void lostFormatFileDoesNotMakeTheStoreFresh() throws IOException {
        try (SegmentLog log = open()) {
            append(log, 2, "a", "1");
        }
        files.lose(STORE.resolve("format"));
        assertThatThrownBy(this::open).isInstanceOf(CorruptStoreException.class).hasMessageContaining("holds data");
    }

    @Test
    void fullDiskStopsTheLogUntilItIsOpenedAnew() throws IOException {
        SegmentLog log = open();
        append(log, 2, "a", "1");
        files.setFreeBytes(50);
        assertThatThrownBy(() -> append(log, 3, "b", "2"))
                .isInstanceOf(StoreFailedException.class)
                .hasMessageContaining("No space left");
        files.setFreeBytes(Long.MAX_VALUE);
        assertStopped(log);
        log.close();
        try (SegmentLog again = open()) {
            assertThat(all(again)).containsExactly("2 a 1");
            append(again, 3, "b", "2");
        }
        try (SegmentLog again = open()) {
            assertThat(all(again)).containsExactly("2 a 1", "3 b 2");
        }
    }

    @Test
    void failedSyncStopsTheLog() throws IOException {
        SegmentLog log = open();
        append(log, 2, "a", "1");
        files.failSyncs(1);
        assertThatThrownBy(log::sync).isInstanceOf(StoreFailedException.class).hasMessageContaining("Input/output");
        assertStopped(log);
        log.close();
    }

    @Test
    void failedSyncInTheBackgroundStopsTheLog() throws IOException {
        Queue<Runnable> background = new ArrayDeque<>();
        SegmentLog log = SegmentLog.open(new SegmentLog.Options(files, STORE, 2048, 7, background::add));
        int revision = 2;
        while (background.isEmpty()) {
            append(log, revision++, "key", "value");
        }
        files.failSyncs(1);
        background.remove().run();
        assertStopped(log);
        log.close();
    }

    @Test
    void aFrameForWhichRoomWasMadeIsWrittenWholeAlsoWhenItNeedsANewSegment() throws IOException {
        SegmentLog log = open();
        append(log, 2, "a", "1");
        for (int revision = 3; revision < 40; revision++) {
            files.setFreeBytes(7);
            files.freeWhenAsked(2, 3000);
            append(log, revision, "key", "value ".repeat(20) + revision);
        }
        files.freeWhenAsked(0, 0);
        files.setFreeBytes(0);
        assertThatThrownBy(() -> append(log, 40, "key", "v".repeat(100))).isInstanceOf(StoreFailedException.class);
        log.close();
        files.setFreeBytes(Long.MAX_VALUE);
        try (SegmentLog again = open()) {
            assertThat(again.last().revision()).isEqualTo(39);
            List<Long> revisions = new ArrayList<>();
            again.snapshot().scan(2, 40, record -> revisions.add(record.revision()));
            assertThat(revisions).hasSize(38).isSorted();
        }
    }

    private static void assertStopped(SegmentLog log) {
        assertThatThrownBy(log::begin).isInstanceOf(StoreFailedException.class);
        assertThatThrownBy(log::snapshot).isInstanceOf(StoreFailedException.class);
        assertThatThrownBy(log::sync).isInstanceOf(StoreFailedException.class);
        assertThatThrownBy(() -> log.snapshot().scan(1, 2, _ -> true)).isInstanceOf(StoreFailedException.class);
        assertThatThrownBy(() -> log.checkpoint(Path.of("/nowhere"))).isInstanceOf(StoreFailedException.class);
    }

    @Test
    void recordsStayReadableAfterTheLogIsClosed() throws IOException {
        SegmentLog log = open();
        append(log, 2, "a", "1");
        List<StoredRecord> kept = new ArrayList<>();
        log.snapshot().scan(2, 2, kept::add);
        log.close();
        assertThat(new String(kept.getFirst().key(), UTF_8)).isEqualTo("a");
    }

    private SegmentLog open() throws IOException {
        return SegmentLog.open(options(2048));
    }

    private SegmentLog.Options options(long segmentBytes) {
        return new SegmentLog.Options(files, STORE, segmentBytes, 7, Runnable::run);
    }
}

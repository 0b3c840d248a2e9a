/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.storage;

import static dev.nightjar.core.storage.LogSteps.all;
import static dev.nightjar.core.storage.LogSteps.append;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RecoveryTest {

    private static final Path STORE = Path.of("/store");
    private static final Path DATA = STORE.resolve("data-00000001");

    private static final int TORN_SEGMENT_BYTES = 2048;

    private final long seed = Long.getLong("nightjar.seed", System.nanoTime());
    private final HostileFileSystem files = new HostileFileSystem();

    @Test
    void lastFrameTornAtAnyByteIsCutAndTheLogGoesOn() throws IOException {
        SegmentLog log = open(files, TORN_SEGMENT_BYTES);
        append(log, 2, "a", "one");
        append(log, 3, "b", "two");
        long start = log.sizeBytes();
        append(log, 4, "c", "a value that is torn");
        long end = log.sizeBytes();
        Path segment = DATA.resolve(files.list(DATA).getFirst());
        for (long cut = start; cut < end; cut++) {
            HostileFileSystem torn = files.copy();
            torn.truncate(segment, cut);
            assertCutBefore4(torn);
            HostileFileSystem zeroed = files.copy();
            zeroed.truncate(segment, cut);
            try (FileSystem.StoreFile file = zeroed.open(segment, false)) {
                file.setSize(TORN_SEGMENT_BYTES);
            }
            assertCutBefore4(zeroed);
            HostileFileSystem flipped = files.copy();
            flipped.flip(segment, cut, 0x10);
            assertCutBefore4(flipped);
        }
        log.close();
    }

    private static void assertCutBefore4(HostileFileSystem files) throws IOException {
        try (SegmentLog log = open(files, TORN_SEGMENT_BYTES)) {
            assertThat(all(log)).containsExactly("2 a one", "3 b two");
            assertThat(log.last().appliedIndex()).isEqualTo(3);
            append(log, 4, "d", "after");
        }
        try (SegmentLog log = open(files, TORN_SEGMENT_BYTES)) {
            assertThat(all(log)).containsExactly("2 a one", "3 b two", "4 d after");
        }
    }

    /** The files of a version that gave a segment its length before its content, and of a copy that keeps holes. */
    @Test
    void partOfAFileThatWasNeverWrittenIsNotMapped() throws IOException {
        SegmentLog log = open(files, 1 << 20);
        append(log, 2, "a", "one");
        Path segment = DATA.resolve(files.list(DATA).getFirst());
        HostileFileSystem killed = files.copy();
        try (FileSystem.StoreFile file = killed.open(segment, false)) {
            file.setSize(8 << 20);
        }
        try (SegmentLog restarted = open(killed, 1 << 20)) {
            assertThat(all(restarted)).containsExactly("2 a one");
            append(restarted, 3, "b", "two");
            assertThat(all(restarted)).containsExactly("2 a one", "3 b two");
        }
        log.close();
    }

    @Test
    void killedOnAFullDiskItStartsAgainAndStopsAtTheNextWrite() throws IOException {
        SegmentLog log = open(files, 64 << 20);
        append(log, 2, "a", "one");
        HostileFileSystem full = files.copy();
        full.setFreeBytes(0);
        try (SegmentLog restarted = open(full, 64 << 20)) {
            assertThat(all(restarted)).containsExactly("2 a one");
            assertThatThrownBy(() -> append(restarted, 3, "b", "two"))
                    .isInstanceOf(StoreFailedException.class)
                    .hasMessageContaining("No space left on device");
        }
        full.setFreeBytes(Long.MAX_VALUE);
        try (SegmentLog restarted = open(full, 64 << 20)) {
            assertThat(all(restarted)).containsExactly("2 a one");
        }
        log.close();
    }

    @Test
    void roomIsMadeAheadOfTheFramesOneStepAtATimeAndGivenBackAtTheEnd() throws IOException {
        long segmentBytes = 2L * Segment.ROOM_BYTES;
        try (SegmentLog log = open(files, segmentBytes)) {
            append(log, 2, "a", "one");
            Path segment = DATA.resolve(files.list(DATA).getFirst());
            long end = log.sizeBytes();
            assertThat(files.content(segment)).hasSize((int) end + Segment.ROOM_BYTES);
            append(log, 3, "b", "x".repeat(Segment.ROOM_BYTES));
            assertThat(files.content(segment)).hasSize((int) segmentBytes);
        }
        assertThat(files.content(DATA.resolve(files.list(DATA).getFirst()))).hasSizeLessThan(Segment.ROOM_BYTES + 1000);
    }

    @Test
    void failureOfTheMachinesFileSystemNamesTheFile() throws IOException {
        Path full = Path.of("/dev/full");
        assumeTrue(Files.exists(full));
        try (FileSystem.StoreFile file = FileSystem.real().open(full, false)) {
            assertThatThrownBy(() -> file.write(ByteBuffer.allocate(1), 0))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("/dev/full")
                    .hasMessageContaining("No space left on device");
        }
    }

    @Test
    void flippedByteAnywhereInWhatWasSyncedIsRefusedWithFileAndOffset() throws IOException {
        try (SegmentLog log = open(files, 600)) {
            for (int revision = 2; revision < 14; revision++) {
                append(log, revision, "key" + revision, "value " + revision);
            }
        }
        List<String> names = files.list(DATA);
        assertThat(names).hasSizeGreaterThan(2);
        for (String name : names) {
            Path segment = DATA.resolve(name);
            boolean last = name.equals(names.getLast());
            // The last frame only says that those before it are durable; without it they still are.
            int length = files.content(segment).length - (last ? FrameFormat.HEADER_BYTES : 0);
            for (int at = 0; at < length; at++) {
                HostileFileSystem damaged = files.copy();
                damaged.flip(segment, at, 1 << (at % 8));
                CorruptStoreException refusal =
                        catchThrowableOfType(CorruptStoreException.class, () -> open(damaged, 600));
                assertThat(refusal).as("%s at %d", name, at).isNotNull();
                assertThat(refusal.file()).isEqualTo(segment.toString());
                assertThat(refusal.offset()).isBetween(0L, (long) at);
                assertThat(refusal).hasMessageContaining(name).hasMessageContaining("offset " + refusal.offset());
            }
        }
    }

    @Test
    void lostSegmentOrLostEndOfASegmentIsRefused() throws IOException {
        try (SegmentLog log = open(files, 600)) {
            for (int revision = 2; revision < 14; revision++) {
                append(log, revision, "key" + revision, "value " + revision);
            }
        }
        List<String> names = files.list(DATA);
        for (String name : names.subList(0, names.size() - 1)) {
            HostileFileSystem lost = files.copy();
            lost.lose(DATA.resolve(name));
            assertThatThrownBy(() -> open(lost, 600)).isInstanceOf(CorruptStoreException.class);
            HostileFileSystem empty = files.copy();
            empty.truncate(DATA.resolve(name), SegmentHeader.BYTES);
            assertThatThrownBy(() -> open(empty, 600))
                    .isInstanceOf(CorruptStoreException.class)
                    .hasMessageContaining("end of the segment is missing");
            HostileFileSystem nothing = files.copy();
            nothing.truncate(DATA.resolve(name), 0);
            assertThatThrownBy(() -> open(nothing, 600)).isInstanceOf(CorruptStoreException.class);
        }
    }

    @Test
    void imageOfAFrameInAValueIsNotTakenForAFrame() throws IOException {
        HostileFileSystem other = new HostileFileSystem();
        byte[] image;
        try (SegmentLog log = open(other, TORN_SEGMENT_BYTES)) {
            append(log, 2, "a", "one");
            append(log, 3, "a", "one");
            log.sync();
            append(log, 4, "a", "one");
            image = other.content(DATA.resolve(other.list(DATA).getFirst()));
        }
        SegmentLog log = open(files, TORN_SEGMENT_BYTES);
        append(log, 2, "k", "kept");
        long torn = log.sizeBytes();
        append(log, 3, "evil", new String(image, 0, 600, ISO_8859_1));
        Path segment = DATA.resolve(files.list(DATA).getFirst());
        HostileFileSystem damaged = files.copy();
        damaged.flip(segment, torn + 20, 1);
        try (SegmentLog again = open(damaged, TORN_SEGMENT_BYTES)) {
            assertThat(all(again)).containsExactly("2 k kept");
        }
        log.close();
    }

    @Test
    void powerLossAtAnyMomentLeavesAPrefixWithItsAppliedIndex() throws IOException {
        Random random = new Random(seed);
        try {
            for (int run = 0; run < 150; run++) {
                powerLoss(random);
            }
        } catch (AssertionError | IOException | RuntimeException e) {
            throw new AssertionError("replay with -Dnightjar.seed=" + seed, e);
        }
    }

    private static void powerLoss(Random random) throws IOException {
        HostileFileSystem disk = new HostileFileSystem();
        long revision = 1;
        for (int life = 0; life < 4; life++) {
            Queue<Runnable> background = new ArrayDeque<>();
            SegmentLog log = SegmentLog.open(new SegmentLog.Options(disk, STORE, 1500, 7, background::add));
            long durable = log.last().appliedIndex();
            assertThat(log.last().revision())
                    .isEqualTo(log.last().appliedIndex() == 0 ? 1 : log.last().appliedIndex());
            revision = log.last().revision();
            assertThat(all(log)).hasSize((int) revision - 1);
            int steps = random.nextInt(60);
            for (int i = 0; i < steps; i++) {
                switch (random.nextInt(12)) {
                    case 0 -> durable = log.sync();
                    case 1 -> {
                        if (!background.isEmpty()) {
                            background.remove().run();
                        }
                    }
                    default -> append(log, ++revision, "key" + revision, "v".repeat(random.nextInt(200)));
                }
            }
            HostileFileSystem after = disk.crash(random);
            try (SegmentLog recovered = open(after, 1500)) {
                long applied = recovered.last().appliedIndex();
                assertThat(applied).isBetween(durable, revision == 1 ? 0 : revision);
                assertThat(all(recovered)).hasSize(applied == 0 ? 0 : (int) applied - 1);
            }
            disk = after;
        }
    }

    @Test
    void checkpointStaysWholeWhateverHappensToTheStoreAfterwards() throws IOException {
        Random random = new Random(seed);
        Path copy = Path.of("/copy");
        for (int run = 0; run < 100; run++) {
            HostileFileSystem disk = new HostileFileSystem();
            disk.createDirectories(copy);
            SegmentLog log = open(disk, 1500);
            for (int revision = 2; revision < 10; revision++) {
                append(log, revision, "key" + revision, "value");
            }
            log.cut();
            log.checkpoint(copy);
            HostileFileSystem after = disk.crash(random);
            try (SegmentLog again = open(after, 1500)) {
                assertThat(all(again)).hasSize(8);
                append(again, 10, "more", "value");
            }
            SegmentLog.Options other = new SegmentLog.Options(after, Path.of("/other"), 1500, 8, Runnable::run);
            SegmentLog.restore(other, copy);
            try (SegmentLog restored = SegmentLog.open(other)) {
                assertThat(all(restored)).as("seed %d", seed).hasSize(8);
            }
        }
    }

    @Test
    void powerLossWhileAStoreIsRestoredLeavesOneOrTheOther() throws IOException {
        Random random = new Random(seed);
        Path copy = Path.of("/copy");
        files.createDirectories(copy);
        try (SegmentLog log = open(files, 1500)) {
            append(log, 2, "old", "1");
            log.cut();
            log.checkpoint(copy);
            append(log, 3, "new", "2");
        }
        for (int budget = 0; budget < 1200; budget += 9) {
            HostileFileSystem disk = files.copy();
            disk.setFreeBytes(budget);
            boolean restored = false;
            try {
                SegmentLog.restore(new SegmentLog.Options(disk, STORE, 1500, 7, Runnable::run), copy);
                restored = true;
            } catch (IOException e) {
                assertThat(e).hasMessageContaining("No space left");
            }
            try (SegmentLog log = open(disk.crash(random), 1500)) {
                List<String> found = all(log);
                assertThat(found).isIn(List.of("2 old 1"), List.of("2 old 1", "3 new 2"));
                if (restored) {
                    assertThat(found).hasSize(1);
                }
            }
        }
    }

    @Test
    void powerLossWhileAStoreIsCreatedLeavesAnEmptyStore() throws IOException {
        Random random = new Random(seed);
        for (int budget = 0; budget < 400; budget += 3) {
            HostileFileSystem disk = new HostileFileSystem();
            disk.setFreeBytes(budget);
            try {
                open(disk, 1500).close();
            } catch (IOException | StoreFailedException e) {
                assertThat(e).hasMessageContaining("No space left");
            }
            try (SegmentLog log = open(disk.crash(random), 1500)) {
                assertThat(all(log)).isEmpty();
                append(log, 2, "a", "1");
            }
        }
    }

    private static SegmentLog open(HostileFileSystem files, long segmentBytes) throws IOException {
        return SegmentLog.open(new SegmentLog.Options(files, STORE, segmentBytes, 7, Runnable::run));
    }
}

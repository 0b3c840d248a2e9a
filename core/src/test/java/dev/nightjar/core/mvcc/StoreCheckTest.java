/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.mvcc;

import static dev.nightjar.core.mvcc.CheckedStore.DATA;
import static dev.nightjar.core.mvcc.CheckedStore.IMAGE;
import static dev.nightjar.core.mvcc.CheckedStore.STORE;
import static dev.nightjar.core.mvcc.CheckedStore.check;
import static dev.nightjar.core.mvcc.CheckedStore.createStore;
import static dev.nightjar.core.mvcc.CheckedStore.damages;
import static dev.nightjar.core.mvcc.CheckedStore.fill;
import static dev.nightjar.core.mvcc.CheckedStore.findings;
import static dev.nightjar.core.mvcc.CheckedStore.isRefused;
import static dev.nightjar.core.mvcc.CheckedStore.segments;
import static dev.nightjar.core.mvcc.CheckedStore.unchanged;
import static dev.nightjar.core.mvcc.StoreSteps.log;
import static dev.nightjar.core.mvcc.StoreSteps.put;
import static org.assertj.core.api.Assertions.assertThat;

import dev.nightjar.core.storage.CheckResult;
import dev.nightjar.core.storage.FileSystem;
import dev.nightjar.core.storage.Finding;
import dev.nightjar.core.storage.HostileFileSystem;
import dev.nightjar.core.storage.StoreFailedException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Segments, files and the log as a whole; the image is {@link StoreCheckImageTest}'s. */
class StoreCheckTest {

    private static final Path COPY = Path.of("/copy");

    private final long seed = Long.getLong("nightjar.seed", System.nanoTime());
    private final HostileFileSystem files = new HostileFileSystem();

    @Test
    void aWholeStoreHasNoFindingsAndSaysWhatItHolds() throws IOException {
        createStore(files);
        List<CheckResult> results = check(files);
        assertThat(results).allMatch(result -> result.findings().isEmpty());
        assertThat(results).extracting(CheckResult::subject).startsWith("store").endsWith("log", "index");
        assertThat(results).hasSize(3 + segments(files).size());
        assertThat(results.getLast().detail()).contains("compared with the log, 61 entries");
    }

    @Test
    void aStoreWithoutImageAndOneNeverWrittenAreWhole() throws IOException {
        assertThat(check(files))
                .singleElement()
                .matches(result -> result.findings().isEmpty());
        try (MvccStore store = MvccStore.open(log(files, "/store"))) {
            put(store, "a", "1");
        }
        assertThat(check(files).getLast().detail()).contains("no image");
        assertThat(findings(files)).isEmpty();
    }

    @Test
    void figuresAreThoseOfTheOpenStore() throws IOException {
        long inUse;
        long keys;
        long revision;
        long compacted;
        try (MvccStore store = MvccStore.open(log(files, "/store"))) {
            fill(store);
            inUse = store.sizeInUseBytes();
            keys = store.keyCount();
            revision = store.publishedRevision();
            compacted = store.compactedRevision();
        }
        files.stopAfter(0);
        StoreFigures figures = StoreFigures.read(files, STORE);
        assertThat(figures.keys()).isEqualTo(keys).isEqualTo(59);
        assertThat(figures.last().revision()).isEqualTo(revision);
        assertThat(figures.last().compactedRevision()).isEqualTo(compacted);
        assertThat(figures.segments()).isEqualTo(segments(files).size());
        assertThat(figures.bytesInUse()).isEqualTo(inUse);
        assertThat(figures.bytes())
                .isEqualTo(segments(files).stream()
                        .mapToLong(path -> files.content(path).length)
                        .sum());
        assertThat(figures.rows()).isEqualTo(4);
        assertThat(figures.imageRevision()).isEqualTo(revision - 3);
        assertThat(figures.imageBytes()).isEqualTo(files.content(IMAGE).length);
        files.stopAfter(Long.MAX_VALUE);
        files.lose(IMAGE);
        assertThat(StoreFigures.read(files, STORE))
                .isEqualTo(
                        new StoreFigures(keys, figures.last(), figures.segments(), figures.bytes(), inUse, 4, -1, 0));
    }

    @Test
    void aFlippedByteOfASegmentIsNamedAndIsDamageExactlyIfAStartWouldRefuseIt() throws IOException {
        createStore(files);
        int refused = 0;
        for (Path segment : segments(files)) {
            int size = files.content(segment).length;
            for (int offset = 0; offset < size; offset += offset < 200 || offset > size - 200 ? 1 : 31) {
                HostileFileSystem damaged = files.copy();
                damaged.flip(segment, offset, 0x04);
                List<Finding> found = findings(damaged);
                long at = offset;
                assertThat(found)
                        .as("%s at %d", segment, offset)
                        .anyMatch(finding -> finding.file().equals(segment.toString()) && finding.offset() <= at);
                boolean isRefused = isRefused(damaged);
                assertThat(found.stream().anyMatch(Finding::isDamage))
                        .as("%s at %d: %s", segment, offset, found)
                        .isEqualTo(isRefused);
                refused += isRefused ? 1 : 0;
            }
        }
        assertThat(refused).isPositive();
    }

    @Test
    void everyDamageIsNamedNotOnlyTheFirst() throws IOException {
        createStore(files);
        List<Path> segments = segments(files);
        Path first = segments.getFirst();
        Path second = segments.get(1);
        files.flip(first, files.content(first).length / 2, 1);
        files.flip(second, 3, 1);
        files.flip(second, files.content(second).length / 2, 1);
        assertThat(damages(files)).extracting(Finding::file).contains(first.toString(), second.toString());
        assertThat(damages(files).stream().filter(finding -> finding.file().equals(second.toString())))
                .hasSizeGreaterThan(1);
    }

    @Test
    void aTornEndIsNoDamage() throws IOException {
        try (MvccStore store = MvccStore.open(log(files, "/store"))) {
            fill(store);
            put(store, "last", "words");
            assertThat(findings(files.copy())).isEmpty();
            for (int cut = 1; cut < 20; cut++) {
                HostileFileSystem torn = files.copy();
                Path last = segments(torn).getLast();
                torn.truncate(last, lastByte(torn.content(last)) - cut);
                assertThat(findings(torn))
                        .singleElement()
                        .matches(
                                finding -> !finding.isDamage() && finding.file().equals(last.toString()));
                assertThat(isRefused(torn)).isFalse();
            }
        }
    }

    private static int lastByte(byte[] content) {
        int end = content.length;
        while (content[end - 1] == 0) {
            end--;
        }
        return end;
    }

    @Test
    void missingAndForeignFilesAreDamage() throws IOException {
        createStore(files);
        List<Path> segments = segments(files);
        assertThat(segments).hasSizeGreaterThan(2);
        for (Path segment : segments.subList(0, segments.size() - 1)) {
            HostileFileSystem disk = files.copy();
            disk.lose(segment);
            assertThat(damages(disk)).as("without %s", segment).isNotEmpty();
            assertThat(isRefused(disk)).isTrue();
        }
        HostileFileSystem swapped = files.copy();
        swapped.lose(segments.getFirst());
        swapped.rename(segments.get(1), segments.getFirst());
        assertThat(damages(swapped))
                .anyMatch(finding -> finding.file().equals(segments.getFirst().toString())
                        && finding.what().contains("belongs to"));
    }

    @Test
    void aDamagedOrMissingFormatFileIsDamage() throws IOException {
        createStore(files);
        Path format = STORE.resolve("format");
        for (int offset = 0; offset < files.content(format).length; offset++) {
            HostileFileSystem disk = files.copy();
            disk.flip(format, offset, 1);
            assertThat(damages(disk))
                    .singleElement()
                    .matches(finding -> finding.file().equals(format.toString()));
        }
        files.lose(format);
        assertThat(damages(files))
                .singleElement()
                .matches(finding -> finding.what().contains("the file is missing"));
    }

    @Test
    void filesThatAStartRemovesAreToldAndNoDamage() throws IOException {
        createStore(files);
        files.createDirectories(STORE.resolve("data-00000002"));
        for (Path path : List.of(DATA.resolve("index.tmp"), STORE.resolve("data-00000002/x"))) {
            try (FileSystem.StoreFile file = files.open(path, true)) {
                file.write(ByteBuffer.allocate(1), 0);
            }
        }
        assertThat(findings(files))
                .hasSize(2)
                .noneMatch(Finding::isDamage)
                .extracting(Finding::file)
                .containsExactly(
                        STORE.resolve("data-00000002").toString(),
                        DATA.resolve("index.tmp").toString());
    }

    @Test
    void aCheckpointIsCheckedToItsEnd() throws IOException {
        files.createDirectories(COPY);
        try (MvccStore store = MvccStore.open(log(files, "/store"))) {
            fill(store);
            store.cut();
            store.checkpoint(COPY);
        }
        assertThat(checkCopy(files)).isEmpty();
        for (String name : files.list(COPY)) {
            HostileFileSystem damaged = files.copy();
            Path file = COPY.resolve(name);
            damaged.flip(file, damaged.content(file).length / 2, 1);
            assertThat(checkCopy(damaged))
                    .as(name)
                    .anyMatch(finding -> finding.isDamage() && finding.file().equals(file.toString()));
            if (!name.equals("index")) {
                HostileFileSystem without = files.copy();
                without.lose(file);
                assertThat(checkCopy(without)).as("without " + name).anyMatch(Finding::isDamage);
            }
        }
    }

    private static List<Finding> checkCopy(HostileFileSystem disk) throws IOException {
        return unchanged(disk, COPY, StoreCheck::checkCheckpoint).stream()
                .flatMap(result -> result.findings().stream())
                .toList();
    }

    /** Power losses anywhere in writing, compacting, packing and imaging: nothing of that is damage. */
    @Test
    void whatACrashLeavesIsNoDamageAndItsImageAgreesWithItsLog() throws IOException {
        Random random = new Random(seed);
        for (int round = 0; round < 60; round++) {
            HostileFileSystem disk = new HostileFileSystem();
            disk.stopAfter(20 + random.nextInt(400));
            try (MvccStore store = MvccStore.open(log(disk, "/store"))) {
                while (true) {
                    fill(store);
                    store.sync();
                }
            } catch (StoreFailedException | IOException e) {
                // The disk has gone, as it was to.
            }
            HostileFileSystem left = disk.crash(random);
            assertThat(damages(left)).as("seed %d, round %d", seed, round).isEmpty();
            assertThat(isRefused(left)).isFalse();
        }
    }
}

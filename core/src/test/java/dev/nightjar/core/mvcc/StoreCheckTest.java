/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.mvcc;

import static dev.nightjar.core.mvcc.StoreSteps.bytes;
import static dev.nightjar.core.mvcc.StoreSteps.commit;
import static dev.nightjar.core.mvcc.StoreSteps.compactAll;
import static dev.nightjar.core.mvcc.StoreSteps.delete;
import static dev.nightjar.core.mvcc.StoreSteps.log;
import static dev.nightjar.core.mvcc.StoreSteps.put;
import static dev.nightjar.core.mvcc.StoreSteps.putMany;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.nightjar.core.storage.CheckResult;
import dev.nightjar.core.storage.CorruptStoreException;
import dev.nightjar.core.storage.FileSystem;
import dev.nightjar.core.storage.Finding;
import dev.nightjar.core.storage.HostileFileSystem;
import dev.nightjar.core.storage.StoreFailedException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class StoreCheckTest {

    private static final Path STORE = Path.of("/store");
    private static final Path DATA = STORE.resolve("data-00000001");
    private static final Path IMAGE = DATA.resolve("index");
    private static final Path COPY = Path.of("/copy");

    private final long seed = Long.getLong("nightjar.seed", System.nanoTime());
    private final HostileFileSystem files = new HostileFileSystem();

    /** Superseded and deleted keys, packed files, an image, and records behind it. */
    private static void fill(MvccStore store) throws IOException {
        for (int i = 0; i < 4; i++) {
            putMany(store, 60, "value " + i);
            delete(store, "00000" + i);
            store.putRow(1, bytes("id" + i), bytes("body"));
            commit(store);
        }
        store.compact(store.currentRevision() - 2);
        commit(store);
        compactAll(store);
        pack(store);
        writeImage(store);
        put(store, "behind", "the image");
        put(store, "000007", "again");
        delete(store, "000008");
    }

    private static void pack(MvccStore store) throws IOException {
        boolean more = true;
        while (more) {
            more = store.packStep();
        }
    }

    private static void writeImage(MvccStore store) throws IOException {
        boolean more = true;
        while (more) {
            more = store.imageStep();
        }
    }

    /** Checks a store and sees to it that nothing changes. */
    private static List<CheckResult> check(HostileFileSystem disk) throws IOException {
        return unchanged(disk, STORE, StoreCheck::check);
    }

    private interface Check {
        void run(FileSystem files, Path directory, java.util.function.Consumer<CheckResult> report) throws IOException;
    }

    private static List<CheckResult> unchanged(HostileFileSystem disk, Path directory, Check check) throws IOException {
        List<CheckResult> results = new ArrayList<>();
        Map<Path, String> before = contents(disk, directory);
        disk.stopAfter(0);
        check.run(disk, directory, results::add);
        disk.stopAfter(Long.MAX_VALUE);
        assertThat(contents(disk, directory)).isEqualTo(before);
        return results;
    }

    private static Map<Path, String> contents(HostileFileSystem disk, Path directory) {
        Map<Path, String> contents = new TreeMap<>();
        for (String name : disk.list(directory)) {
            Path path = directory.resolve(name);
            if (disk.list(path).isEmpty() && !name.startsWith("data-")) {
                contents.put(path, java.util.HexFormat.of().formatHex(disk.content(path)));
            } else {
                contents.put(path, "a directory");
                contents.putAll(contents(disk, path));
            }
        }
        return contents;
    }

    private static List<Finding> findings(HostileFileSystem disk) throws IOException {
        return check(disk).stream()
                .flatMap(result -> result.findings().stream())
                .toList();
    }

    private static List<Finding> damages(HostileFileSystem disk) throws IOException {
        return findings(disk).stream().filter(Finding::isDamage).toList();
    }

    private List<Path> segments(HostileFileSystem disk) {
        return disk.list(DATA).stream()
                .filter(name -> name.endsWith(".seg") || name.endsWith(".pack"))
                .map(DATA::resolve)
                .toList();
    }

    private void create() throws IOException {
        try (MvccStore store = MvccStore.open(log(files, "/store"))) {
            fill(store);
        }
    }

    @Test
    void aWholeStoreHasNoFindingsAndSaysWhatItHolds() throws IOException {
        create();
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
        create();
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

    private static boolean isRefused(HostileFileSystem disk) throws IOException {
        try (MvccStore _ = MvccStore.open(log(disk.copy(), "/store"))) {
            return false;
        } catch (CorruptStoreException e) {
            assertThatThrownBy(() -> StoreFigures.read(disk, STORE))
                    .isInstanceOf(CorruptStoreException.class)
                    .hasMessage(e.getMessage());
            return true;
        }
    }

    @Test
    void everyDamageIsNamedNotOnlyTheFirst() throws IOException {
        create();
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
    void aFlippedByteOfTheImageIsDamage() throws IOException {
        create();
        int size = files.content(IMAGE).length;
        for (int offset = 0; offset < size; offset += 5) {
            HostileFileSystem damaged = files.copy();
            // Bytes 12 to 15 of the file mean nothing.
            if (offset < 12 || offset >= 16) {
                damaged.flip(IMAGE, offset, 0x20);
                assertThat(damages(damaged))
                        .as("offset %d", offset)
                        .singleElement()
                        .matches(finding -> finding.file().equals(IMAGE.toString()));
            }
        }
    }

    @Test
    void anImageThatSaysOtherThanTheLogIsDamage() throws IOException {
        try (MvccStore store = MvccStore.open(log(files, "/store"))) {
            putMany(store, 40, "v");
            put(store, "000003", "w");
            KeyIndex index = store.index();
            TreePath path = new TreePath();
            int page = path.descend(index.root(), bytes("000003"));
            int slot = index.pages().find(page, bytes("000003"));
            index.pages().setVersion(page, slot, 9);
            writeImage(store);
        }
        assertThat(damages(files))
                .singleElement()
                .matches(finding -> finding.file().equals(IMAGE.toString())
                        && finding.what().contains("\"000003\"")
                        && finding.what().contains("version 9"));
    }

    @Test
    void keysAndRowsThatOnlyOneSideHasAreNamedUpToALimit() throws IOException {
        try (MvccStore store = MvccStore.open(log(files, "/store"))) {
            put(store, "known", "v");
            KeyIndex index = store.index();
            for (int i = 0; i < 2 * IndexComparison.MOST_DIFFERENCES; i++) {
                index.put(bytes("z" + i), 2, index.find(bytes("known"), 2));
            }
            writeImage(store);
        }
        assertThat(damages(files))
                .hasSize(IndexComparison.MOST_DIFFERENCES)
                .allMatch(finding -> finding.what().contains("which the log has not"));
    }

    @Test
    void rowsThatTheImageLacksAreNamed() throws IOException {
        try (MvccStore store = MvccStore.open(log(files, "/store"))) {
            store.putRow(3, bytes("id"), bytes("body"));
            commit(store);
            store.rows().remove(3, bytes("id"));
            writeImage(store);
        }
        assertThat(damages(files))
                .singleElement()
                .matches(finding -> finding.what().contains("0 rows, the log 1"));
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
        create();
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
        create();
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
        create();
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

/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.mvcc;

import static dev.nightjar.core.mvcc.StoreSteps.all;
import static dev.nightjar.core.mvcc.StoreSteps.bytes;
import static dev.nightjar.core.mvcc.StoreSteps.commit;
import static dev.nightjar.core.mvcc.StoreSteps.compactAll;
import static dev.nightjar.core.mvcc.StoreSteps.delete;
import static dev.nightjar.core.mvcc.StoreSteps.log;
import static dev.nightjar.core.mvcc.StoreSteps.options;
import static dev.nightjar.core.mvcc.StoreSteps.put;
import static dev.nightjar.core.mvcc.StoreSteps.putMany;
import static dev.nightjar.core.mvcc.StoreSteps.range;
import static org.assertj.core.api.Assertions.assertThat;

import dev.nightjar.core.storage.HostileFileSystem;
import dev.nightjar.core.storage.ImageReader;
import dev.nightjar.core.storage.ImageWriter;
import dev.nightjar.core.storage.RecordStore;
import dev.nightjar.core.storage.SegmentLog;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class IndexImageTest {

    private static final Path DATA = Path.of("/store/data-00000001");
    private static final Path IMAGE = DATA.resolve("index");

    private final HostileFileSystem files = new HostileFileSystem();

    @Test
    void startReadsTheImageAndWhatFollowsIt() throws IOException {
        try (MvccStore store = MvccStore.open(log(files, "/store"))) {
            putMany(store, 3000, "v");
            assertThat(store.isImageDue()).isTrue();
            writeImage(store);
            assertThat(store.isImageDue()).isFalse();
            put(store, "later", "1");
        }
        try (SegmentLog log = log(files, "/store");
                ImageReader image = image(log)) {
            int[] shown = {0};
            log.replay((place, record) -> shown[0]++);
            assertThat(image.forgottenRevision()).isEqualTo(-1);
            assertThat(shown[0]).isEqualTo(1);
        }
        try (MvccStore store = MvccStore.open(log(files, "/store"))) {
            assertThat(store.keyCount()).isEqualTo(3001);
            assertThat(range(store, all()).getLast()).isEqualTo("later=1");
        }
    }

    private static ImageReader image(SegmentLog log) {
        ImageReader image = log.image();
        if (image == null) {
            throw new AssertionError("there is no image");
        }
        return image;
    }

    private static void writeImage(MvccStore store) throws IOException {
        boolean more = true;
        while (more) {
            more = store.imageStep();
        }
    }

    @Test
    void damagedImageIsLeftAloneAndTheWholeLogRead() throws IOException {
        List<String> state;
        try (MvccStore store = MvccStore.open(log(files, "/store"))) {
            putMany(store, 20, "v");
            delete(store, "000007");
            put(store, "000008", "again");
            store.putRow(1, bytes("id"), bytes("body"));
            commit(store);
            writeImage(store);
            state = range(store, all());
        }
        int size = files.content(IMAGE).length;
        for (int offset = 0; offset < size; offset++) {
            HostileFileSystem damaged = files.copy();
            damaged.flip(IMAGE, offset, 0x20);
            assertState(damaged, state);
        }
        for (int length = 0; length < size; length += 7) {
            HostileFileSystem cut = files.copy();
            cut.truncate(IMAGE, length);
            assertState(cut, state);
        }
    }

    private static void assertState(HostileFileSystem disk, List<String> state) throws IOException {
        try (MvccStore store = MvccStore.open(log(disk, "/store"))) {
            assertThat(range(store, all())).isEqualTo(state);
            assertThat(StoreSteps.rows(store, 1)).containsExactly("id=body");
            put(store, "after", "1");
        }
    }

    @Test
    void imageWithRightChecksumsThatMakesNoSenseIsLeftAloneToo() throws IOException {
        for (int size : new int[] {2, 40, 8000}) {
            for (int kind : new int[] {IndexImage.PAGES, IndexImage.HISTORY, IndexImage.ROWS, 77}) {
                HostileFileSystem disk = new HostileFileSystem();
                try (MvccStore store = MvccStore.open(log(disk, "/store"))) {
                    putMany(store, 20, "v");
                }
                try (SegmentLog log = log(disk, "/store")) {
                    log.replay((place, record) -> {});
                    ImageWriter writer = log.beginImage(-1);
                    byte[] nonsense = new byte[size];
                    new Random(size + kind).nextBytes(nonsense);
                    writer.write(kind, ByteBuffer.wrap(nonsense));
                    writer.finish();
                }
                try (MvccStore store = MvccStore.open(log(disk, "/store"))) {
                    assertThat(range(store, all())).hasSize(20).last().isEqualTo("000019=v");
                }
            }
        }
    }

    @Test
    void imageOfAnotherStoreIsLeftAlone() throws IOException {
        try (MvccStore other = MvccStore.open(
                SegmentLog.open(new SegmentLog.Options(files, Path.of("/other"), 4096, 8, Runnable::run)))) {
            putMany(other, 20, "other");
            writeImage(other);
        }
        try (MvccStore store = MvccStore.open(log(files, "/store"))) {
            putMany(store, 10, "mine");
        }
        files.rename(Path.of("/other/data-00000001/index"), IMAGE);
        try (MvccStore store = MvccStore.open(log(files, "/store"))) {
            assertThat(range(store, all())).hasSize(10).first().isEqualTo("000000=mine");
        }
    }

    @Test
    void imageOfACopyThatHasGrownApartIsLeftAlone() throws IOException {
        try (MvccStore store = MvccStore.open(log(files, "/store"))) {
            putMany(store, 10, "common");
        }
        HostileFileSystem copy = files.copy();
        try (MvccStore store = MvccStore.open(log(copy, "/store"))) {
            put(store, "000003", "theirs");
            writeImage(store);
        }
        List<String> state;
        try (MvccStore store = MvccStore.open(log(files, "/store"))) {
            put(store, "000004", "mine!!"); // as long, so that the frames end where those of the copy do
            state = range(store, all());
        }
        files.open(IMAGE, true).write(ByteBuffer.wrap(copy.content(IMAGE)), 0);
        try (MvccStore store = MvccStore.open(log(files, "/store"))) {
            assertThat(range(store, all())).isEqualTo(state).contains("000003=common", "000004=mine!!");
        }
    }

    @Test
    void longHistoriesAndLongKeysComeBack() throws IOException {
        int changes = 2 * IndexImage.PIECE_PAIRS + IndexImage.INLINE_PAIRS + 5;
        String longKey = "k".repeat(5000);
        try (MvccStore store = MvccStore.open(log(files, "/store"))) {
            for (int i = 0; i < changes; i++) {
                put(store, "hot", "v" + i);
            }
            put(store, longKey, "long");
            writeImage(store);
        }
        try (MvccStore store = MvccStore.open(log(files, "/store"))) {
            for (int i : new int[] {0, 1, IndexImage.INLINE_PAIRS, IndexImage.PIECE_PAIRS + 20, changes - 1}) {
                assertThat(range(store, RangeQuery.of(bytes("hot")).atRevision(2 + i)))
                        .containsExactly("hot=v" + i);
            }
            assertThat(range(store, RangeQuery.of(bytes(longKey)))).hasSize(1);
        }
    }

    @Test
    void whatAPageGainsAfterOneImageIsInTheNext() throws IOException {
        String longKey = "000150" + "k".repeat(5000);
        try (MvccStore store = MvccStore.open(log(files, "/store"))) {
            putMany(store, 300, "v1"); // nothing that a page could not hold by itself
            writeImage(store);
        }
        for (String key : List.of("000100", longKey, "000299")) {
            try (MvccStore store = MvccStore.open(log(files, "/store"))) {
                put(store, key, "v2");
                writeImage(store);
            }
        }
        try (MvccStore store = MvccStore.open(log(files, "/store"))) {
            assertThat(range(store, all()))
                    .hasSize(301)
                    .contains("000000=v1", "000100=v2", longKey + "=v2", "000299=v2");
            assertThat(range(store, all().atRevision(2))).hasSize(300).allMatch(each -> each.endsWith("=v1"));
            assertThat(range(store, RangeQuery.of(bytes(longKey)))).containsExactly(longKey + "=v2");
        }
    }

    @Test
    void aKeyIsFoundAmongManyPagesWhateverItsLength() throws IOException {
        for (int width : new int[] {6, 24, 25, 80}) {
            HostileFileSystem disk = new HostileFileSystem();
            String form = "%0" + width + "d";
            try (MvccStore store = MvccStore.open(log(disk, "/store"))) {
                WriteTxn txn = store.begin();
                for (int i = 0; i < 20_000; i++) {
                    txn.put(bytes(form.formatted(2 * i)), ByteBuffer.wrap(bytes("v")), 0);
                }
                txn.end();
                commit(store);
                writeImage(store);
            }
            try (MvccStore store = MvccStore.open(log(disk, "/store"))) {
                for (int i = 0; i < 20_000; i += 7) {
                    assertThat(range(store, RangeQuery.of(bytes(form.formatted(2 * i)))))
                            .hasSize(1);
                    assertThat(range(store, RangeQuery.of(bytes(form.formatted(2 * i + 1)))))
                            .isEmpty();
                }
                put(store, form.formatted(7), "between");
                assertThat(store.keyCount()).isEqualTo(20_001);
                assertThat(range(store, RangeQuery.of(bytes(form.formatted(7)))))
                        .hasSize(1);
            }
        }
    }

    @Test
    void whatIsWrittenWhileTheImageIsMadeIsNeitherLostNorTakenTwice() throws IOException {
        try (MvccStore store = MvccStore.open(log(files, "/store"))) {
            putMany(store, 60_000, "v");
            boolean more = store.imageStep();
            for (int i = 0; more; i++) {
                put(store, "%06d".formatted(i * 97 % 60_000), "new" + i);
                more = store.imageStep();
            }
            assertThat(range(store, RangeQuery.of(bytes("000000")))).containsExactly("000000=new0");
        }
        try (MvccStore store = MvccStore.open(log(files, "/store"))) {
            KvView first = StoreSteps.get(store, "000000");
            assertThat(first.version()).isEqualTo(2);
            assertThat(store.keyCount()).isEqualTo(60_000);
            assertThat(range(store, RangeQuery.of(bytes("000000")).atRevision(2)))
                    .containsExactly("000000=v");
        }
    }

    @Test
    void imageWaitsForTheFrameThatHoldsWhatItHasCopied() throws IOException {
        try (MvccStore store = MvccStore.open(log(files, "/store"))) {
            put(store, "a", "1");
            WriteTxn open = store.begin();
            open.put(bytes("b"), java.nio.ByteBuffer.wrap(bytes("2")), 0);
            for (int i = 0; i < 10; i++) {
                assertThat(store.imageStep()).isTrue();
            }
            assertThat(files.exists(IMAGE)).isFalse();
            open.end();
            commit(store);
            assertThat(store.imageStep()).isFalse();
            assertThat(files.exists(IMAGE)).isTrue();
        }
    }

    @Test
    void nothingIsForgottenWhileAnImageIsWritten() throws IOException {
        try (MvccStore store = MvccStore.open(log(files, "/store"))) {
            for (int i = 0; i < 100; i++) {
                put(store, "key", "v" + i);
            }
            store.compact(store.currentRevision());
            commit(store);
            assertThat(store.imageStep()).isTrue();
            assertThat(store.compactStep(Long.MAX_VALUE)).isTrue();
            assertThat(store.packStep(false)).isTrue();
            assertThat(store.compactionDoneRevision()).isEqualTo(-1);
            writeImage(store);
            assertThat(compactAll(store)).isEqualTo(store.compactedRevision());
        }
    }

    @Test
    void checkpointTakesTheImageAlong() throws IOException {
        Path copy = Path.of("/copy");
        files.createDirectories(copy);
        try (MvccStore store = MvccStore.open(log(files, "/store"))) {
            putMany(store, 300, "v");
            writeImage(store);
            store.cut();
            store.checkpoint(copy);
        }
        SegmentLog.restore(options(files, "/restored"), copy);
        try (SegmentLog log = log(files, "/restored");
                ImageReader image = image(log)) {
            log.replay((place, record) -> assertThat(record.type().isChange()).isFalse());
            assertThat(image.next()).isNotNull();
        }
        try (MvccStore store = MvccStore.open(log(files, "/restored"))) {
            assertThat(store.keyCount()).isEqualTo(300);
        }
    }

    @Test
    void failedImageLeavesTheOneBeforeAndCanBeTriedAgain() throws IOException {
        try (MvccStore store = MvccStore.open(log(files, "/store"))) {
            putMany(store, 100, "v");
            writeImage(store);
            byte[] before = files.content(IMAGE);
            putMany(store, 200, "w");
            files.setFreeBytes(10);
            org.assertj.core.api.Assertions.assertThatThrownBy(() -> writeImage(store))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("No space left on device");
            assertThat(files.content(IMAGE)).isEqualTo(before);
            assertThat(files.list(DATA)).noneMatch(name -> name.endsWith(".tmp"));
            files.setFreeBytes(Long.MAX_VALUE);
            writeImage(store);
            assertThat(files.content(IMAGE)).isNotEqualTo(before);
        }
    }

    @Test
    void replayWithoutAnImageShowsEverything() throws IOException {
        try (MvccStore store = MvccStore.open(log(files, "/store"))) {
            putMany(store, 10, "v");
        }
        try (SegmentLog log = log(files, "/store")) {
            RecordStore records = log;
            int[] shown = {0};
            records.replay((place, record) -> shown[0]++);
            assertThat(records.image()).isNull();
            assertThat(shown[0]).isEqualTo(10);
        }
    }
}

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
import static dev.nightjar.core.mvcc.StoreSteps.pack;
import static dev.nightjar.core.mvcc.StoreSteps.put;
import static dev.nightjar.core.mvcc.StoreSteps.putMany;
import static dev.nightjar.core.mvcc.StoreSteps.range;
import static dev.nightjar.core.mvcc.StoreSteps.scan;
import static dev.nightjar.core.mvcc.StoreSteps.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.nightjar.core.storage.HostileFileSystem;
import dev.nightjar.core.storage.MemoryRecordStore;
import dev.nightjar.core.storage.RecordStore;
import dev.nightjar.core.storage.SegmentLog;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class CompactionTest {

    private final MemoryRecordStore records = new MemoryRecordStore();

    @Test
    void compactionTakesEffectWithPublicationAndKeepsWhatIsVisible() throws IOException {
        try (MvccStore store = MvccStore.open(records)) {
            put(store, "a", "1");
            put(store, "a", "2");
            delete(store, "a");
            put(store, "b", "1");
            store.compact(3);
            assertThat(store.compactedRevision()).isEqualTo(-1);
            assertThat(range(store, all().atRevision(2))).containsExactly("a=1");
            commit(store);
            assertThat(store.compactedRevision()).isEqualTo(3);
            assertThatThrownBy(() -> store.range(all().atRevision(2)))
                    .isInstanceOfSatisfying(
                            RevisionCompactedException.class,
                            e -> assertThat(e.compactedRevision()).isEqualTo(3));
            long inUse = store.sizeInUseBytes();
            compactAll(store);
            assertThat(store.compactionDoneRevision()).isEqualTo(3);
            assertThat(store.sizeInUseBytes()).isLessThan(inUse);
            assertThat(range(store, all().atRevision(3))).containsExactly("a=2");
            assertThatThrownBy(() -> store.compact(3)).isInstanceOf(RevisionCompactedException.class);
            assertThatThrownBy(() -> store.compact(6)).isInstanceOf(FutureRevisionException.class);
            assertThat(store.scan(2, 5, _ -> true)).isEqualTo(-1);
            assertThat(store.scan(3, 5, _ -> true)).isEqualTo(6);
        }
    }

    @Test
    void packingSyncsALargeFileByAndByAndNotAllAtItsEnd() throws IOException {
        HostileFileSystem files = new HostileFileSystem();
        SegmentLog.Options options = new SegmentLog.Options(files, Path.of("/store"), 32 << 20, 7, Runnable::run);
        try (MvccStore store = MvccStore.open(SegmentLog.open(options))) {
            String value = "v".repeat(4096);
            for (int i = 0; i < 10_000; i++) {
                put(store, "key" + i % 6_000, value);
            }
            store.compact(store.publishedRevision());
            commit(store);
            compactAll(store);
            long before = files.syncs();
            pack(store);
            // Some 8 MiB are kept of the file, and synced when they are more than a quarter of a mebibyte.
            assertThat(files.syncs() - before).isBetween(20L, 60L);
            assertThat(range(store, all())).hasSize(6_000);
        }
    }

    @Test
    void compactionToZeroOfAStoreThatWasNeverCompactedSucceedsOnce() throws IOException {
        try (MvccStore store = MvccStore.open(records)) {
            store.compact(0);
            commit(store);
            assertThatThrownBy(() -> store.compact(0)).isInstanceOf(RevisionCompactedException.class);
        }
        try (MvccStore store = MvccStore.open(records)) {
            assertThat(store.compactedRevision()).isZero();
        }
    }

    @Test
    void runningReadKeepsItsRevisionFromPhysicalCompaction() throws IOException {
        try (MvccStore store = MvccStore.open(records)) {
            put(store, "a", "1");
            put(store, "a", "2");
            put(store, "a", "3");
            store.pins().pin(2);
            store.compact(4);
            commit(store);
            assertThat(compactAll(store)).isEqualTo(2);
            assertThat(store.index().find(bytes("a"), 2)).isNotZero();
            store.pins().unpin(2);
            assertThat(compactAll(store)).isEqualTo(4);
            assertThat(store.index().find(bytes("a"), 2)).isZero();
        }
    }

    @Test
    void readThatIsOvertakenByWritesAndCompactionBetweenItsChunksGoesOnAtItsRevision() throws IOException {
        try (MvccStore store = MvccStore.open(records)) {
            int count = 2 * KeyScan.CHUNK_ENTRIES;
            putMany(store, count, "old");
            RangeReader.Source disturbed = disturbedAfterFirstChunk(new PublishedSource(store, records), () -> {
                putMany(store, count, "new");
                store.compact(store.currentRevision());
                commit(store);
                compactAll(store);
            });
            RangeResult result = new RangeReader(store, disturbed, all()).read();
            assertThat(result.count()).isEqualTo(count);
            assertThat(result.kvs())
                    .hasSize(count)
                    .allMatch(view -> text(view.value()).equals("old"));
            assertThat(compactAll(store)).isEqualTo(store.compactedRevision());
        }
    }

    /** Places are read when a chunk has been taken from the index, outside of its lock. */
    private static RangeReader.Source disturbedAfterFirstChunk(RangeReader.Source source, Runnable disturbance) {
        return new RangeReader.Source() {
            private boolean disturbed;

            @Override
            public RecordStore.Places places() {
                RecordStore.Places places = source.places();
                return place -> {
                    if (!disturbed) {
                        disturbed = true;
                        disturbance.run();
                    }
                    return places.read(place);
                };
            }

            @Override
            public long newestRevision() {
                return source.newestRevision();
            }

            @Override
            public int countNewest(byte[] from, byte @Nullable [] end) {
                return source.countNewest(from, end);
            }

            @Override
            public RecordStore.@Nullable Snapshot log() {
                return source.log();
            }
        };
    }

    @Test
    void compactStepIsBounded() throws IOException {
        try (MvccStore store = MvccStore.open(records)) {
            int pages = 3 * Compaction.PAGES_IN_STEP;
            WriteTxn txn = store.begin();
            for (int i = 0; i < pages * 110; i++) {
                txn.put(bytes("%08d".formatted(i)), ByteBuffer.allocate(0), 0);
            }
            txn.end();
            commit(store);
            store.compact(store.currentRevision());
            commit(store);
            int steps = 1;
            while (store.compactStep(Long.MAX_VALUE)) {
                steps++;
            }
            assertThat(steps).isGreaterThanOrEqualTo(3);
        }
    }

    @Test
    void previousIsTheReplacedValueAlsoOfAChangeThatCompactionHasPassed() throws IOException {
        try (MvccStore store = MvccStore.open(records)) {
            put(store, "a", "1");
            Change second = put(store, "a", "2");
            Change third = put(store, "a", "3");
            Change gone = delete(store, "a");
            Change back = put(store, "a", "4");
            assertThat(store.previous(second)).isNotNull();
            assertThat(second.cachedPrevious())
                    .as("kept with the change only by who charges for it")
                    .isNull();
            assertThat(store.previousLength(gone)).isEqualTo(third.keyValue().length);
            assertThat(store.previousLength(back)).isEqualTo(-1);
            assertThat(store.previous(gone)).isEqualTo(third.keyValue());
            assertThat(back.previousPlace()).isZero();
            assertThat(store.previous(back)).isNull();
            store.compact(4);
            commit(store);
            while (store.compactStep(Long.MAX_VALUE)) {
                assertThat(store.compactedRevision()).isEqualTo(4);
            }
            Change scanned = scan(store, 4).getFirst();
            assertThat(scanned.revision()).isEqualTo(4);
            assertThat(store.previous(scanned))
                    .as("of a change at the compacted revision")
                    .isEqualTo(second.keyValue());
            assertThat(store.previous(gone)).isEqualTo(third.keyValue());
        }
    }
}

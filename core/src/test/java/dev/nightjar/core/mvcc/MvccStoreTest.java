/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.mvcc;

import static dev.nightjar.core.mvcc.StoreSteps.ONE;
import static dev.nightjar.core.mvcc.StoreSteps.all;
import static dev.nightjar.core.mvcc.StoreSteps.bytes;
import static dev.nightjar.core.mvcc.StoreSteps.commit;
import static dev.nightjar.core.mvcc.StoreSteps.delete;
import static dev.nightjar.core.mvcc.StoreSteps.get;
import static dev.nightjar.core.mvcc.StoreSteps.log;
import static dev.nightjar.core.mvcc.StoreSteps.options;
import static dev.nightjar.core.mvcc.StoreSteps.put;
import static dev.nightjar.core.mvcc.StoreSteps.range;
import static dev.nightjar.core.mvcc.StoreSteps.rows;
import static dev.nightjar.core.mvcc.StoreSteps.scan;
import static dev.nightjar.core.mvcc.StoreSteps.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.nightjar.core.storage.Frame;
import dev.nightjar.core.storage.FrameInfo;
import dev.nightjar.core.storage.HostileFileSystem;
import dev.nightjar.core.storage.MemoryRecordStore;
import dev.nightjar.core.storage.RecordFields;
import dev.nightjar.core.storage.SegmentLog;
import dev.nightjar.core.storage.StoreFailedException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class MvccStoreTest {

    private final MemoryRecordStore records = new MemoryRecordStore();

    @Test
    void firstChangeOfAFreshStoreIsRevisionTwo() throws IOException {
        try (MvccStore store = MvccStore.open(records)) {
            assertThat(store.currentRevision()).isEqualTo(1);
            put(store, "a", "1");
            assertThat(store.publishedRevision()).isEqualTo(2);
        }
    }

    @Test
    void transactionThatChangesNothingMakesNoRevision() throws IOException {
        try (MvccStore store = MvccStore.open(records)) {
            WriteTxn txn = store.begin();
            assertThat(txn.delete(bytes("missing"), ONE).count()).isZero();
            assertThat(txn.changed()).isFalse();
            assertThat(txn.revision()).isEqualTo(1);
            txn.end();
            assertThat(commit(store)).isEmpty();
            assertThat(store.publishedRevision()).isEqualTo(1);
        }
    }

    @Test
    void bytesOfTheFrameUnderWayCountUntilItIsCommitted() throws IOException {
        try (MvccStore store = MvccStore.open(records)) {
            assertThat(store.uncommittedBytes()).isZero();
            WriteTxn txn = store.begin();
            txn.put(bytes("a"), ByteBuffer.allocate(1000), 0);
            txn.end();
            assertThat(store.uncommittedBytes()).isBetween(1000L, 1200L);
            commit(store);
            assertThat(store.uncommittedBytes()).isZero();
        }
    }

    @Test
    void keyThatComesBackStartsAnew() throws IOException {
        try (MvccStore store = MvccStore.open(records)) {
            put(store, "a", "1");
            put(store, "a", "2");
            KvView second = get(store, "a");
            assertThat(List.of(second.createRevision(), second.modRevision(), second.version()))
                    .containsExactly(2L, 3L, 2L);
            delete(store, "a");
            put(store, "a", "3");
            KvView again = get(store, "a");
            assertThat(List.of(again.createRevision(), again.modRevision(), again.version()))
                    .containsExactly(5L, 5L, 1L);
        }
    }

    @Test
    void putAndDeleteOfOneKeyInOneTransactionAreTwoChangesAtOneRevision() throws IOException {
        for (boolean existed : new boolean[] {false, true}) {
            try (MvccStore store = MvccStore.open(new MemoryRecordStore())) {
                if (existed) {
                    put(store, "a", "old");
                }
                long base = store.currentRevision();
                WriteTxn txn = store.begin();
                txn.put(bytes("a"), ByteBuffer.wrap(bytes("1")), 0);
                DeleteResult deleted = txn.delete(bytes("a"), ONE);
                assertThat(text(deleted.iterator().next().previous().value())).isEqualTo("1");
                assertThat(txn.get(bytes("a"))).isNull();
                txn.end();
                List<Change> changes = commit(store);
                assertThat(changes).extracting(Change::revision).containsExactly(base + 1, base + 1);
                assertThat(changes).extracting(Change::delete).containsExactly(false, true);
                assertThat(store.keyCount()).isZero();
                assertThat(range(store, RangeQuery.of(bytes("a")))).isEmpty();
                if (existed) {
                    assertThat(range(store, RangeQuery.of(bytes("a")).atRevision(base)))
                            .containsExactly("a=old");
                }
            }
        }
    }

    @Test
    void severalTransactionsOfABatchAreSeveralRevisionsAndOneFrame() throws IOException {
        try (MvccStore store = MvccStore.open(records)) {
            for (String key : List.of("a", "b", "a")) {
                WriteTxn txn = store.begin();
                txn.put(bytes(key), ByteBuffer.wrap(bytes("v")), 0);
                txn.end();
            }
            assertThat(store.currentRevision()).isEqualTo(4);
            assertThat(store.publishedRevision()).isEqualTo(1);
            assertThat(range(store, all())).isEmpty();
            List<Change> changes = store.commit(9, 2);
            assertThat(changes).extracting(Change::revision).containsExactly(2L, 3L, 4L);
            assertThat(range(store, all())).isEmpty();
            assertThat(store.appliedIndex()).isZero();
            store.publish();
            assertThat(range(store, all())).containsExactly("a=v", "b=v");
            assertThat(store.appliedIndex()).isEqualTo(9);
            assertThat(store.appliedTerm()).isEqualTo(2);
        }
    }

    @Test
    void misuseOfTheOrderOfCallsIsRefused() throws IOException {
        try (MvccStore store = MvccStore.open(records)) {
            WriteTxn txn = store.begin();
            assertThatThrownBy(store::begin).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> store.commit(1, 1)).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> txn.put(ONE, ByteBuffer.allocate(1), 0)).isInstanceOf(IllegalStateException.class);
            txn.put(bytes("a"), ByteBuffer.allocate(1), 0);
            txn.end();
            assertThatThrownBy(() -> txn.put(bytes("a"), ByteBuffer.allocate(1), 0))
                    .isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(store::publish).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(store::cut).isInstanceOf(IllegalStateException.class);
            commit(store);
        }
    }

    @Test
    void rowsAreLatestWinsAndComeBackAfterReopening() throws IOException {
        try (MvccStore store = MvccStore.open(records)) {
            long empty = store.sizeInUseBytes();
            store.putRow(1, bytes("x"), bytes("1"));
            store.putRow(1, bytes("a"), bytes("2"));
            store.putRow(1, bytes("x"), bytes("3"));
            store.putRow(2, bytes("x"), bytes(""));
            store.putRow(Rows.MAX_TYPE, new byte[0], bytes("top"));
            store.removeRow(2, bytes("x"));
            store.removeRow(2, bytes("missing"));
            assertThatThrownBy(() -> store.putRow(Rows.MAX_TYPE + 1, ONE, ONE))
                    .isInstanceOf(IllegalArgumentException.class);
            commit(store);
            assertRows(store);
            assertThat(store.sizeInUseBytes()).isGreaterThan(empty);
        }
        try (MvccStore store = MvccStore.open(records)) {
            assertRows(store);
            assertThat(store.publishedRevision()).isEqualTo(1);
            assertThat(store.appliedIndex()).isEqualTo(1);
        }
    }

    private static void assertRows(MvccStore store) {
        assertThat(rows(store, 1)).containsExactly("a=2", "x=3");
        assertThat(store.rows(2)).isEmpty();
        assertThat(store.rows(3)).isEmpty();
        assertThat(rows(store, Rows.MAX_TYPE)).containsExactly("=top");
    }

    @Test
    void appliedIndexOfCommandsWithoutEffectIsRecordedLate() throws IOException {
        try (MvccStore store = MvccStore.open(records)) {
            put(store, "a", "1");
            long size = store.sizeBytes();
            store.commit(50, 3);
            store.publish();
            assertThat(store.appliedIndex()).isEqualTo(50);
            assertThat(store.sizeBytes()).isEqualTo(size);
            assertThat(records.last().appliedIndex()).isEqualTo(1);
        }
        try (MvccStore store = MvccStore.open(records)) {
            assertThat(store.appliedIndex()).isEqualTo(50);
            assertThat(store.appliedTerm()).isEqualTo(3);
        }
    }

    @Test
    void versionThatTheIndexCannotHoldGoesOnCounting() throws IOException {
        Frame frame = records.begin();
        RecordFields fields = new RecordFields();
        fields.revision = 2;
        fields.createRevision = 2;
        fields.version = (1L << 32) - 2;
        frame.put(fields, bytes("a"), ByteBuffer.allocate(0));
        records.append(frame, new FrameInfo(1, 1, 2, -1));
        try (MvccStore store = MvccStore.open(records)) {
            for (int i = 0; i < 4; i++) {
                put(store, "a", "v");
            }
            assertThat(get(store, "a").version()).isEqualTo((1L << 32) + 2);
            assertThat(get(store, "a").createRevision()).isEqualTo(2);
        }
    }

    @Test
    void checkpointOpensEqual() throws IOException {
        HostileFileSystem files = new HostileFileSystem();
        Path copy = Path.of("/copy");
        files.createDirectories(copy);
        List<String> expected;
        try (MvccStore store = MvccStore.open(log(files, "/store"))) {
            for (int i = 0; i < 300; i++) {
                put(store, "key" + i % 40, "v" + i);
            }
            store.putRow(5, bytes("id"), bytes("body"));
            store.compact(100);
            commit(store);
            store.commit(1000, 7);
            store.publish();
            expected = range(store, all());
            store.cut();
            store.checkpoint(copy);
            delete(store, "key0");
        }
        SegmentLog.restore(options(files, "/other"), copy);
        try (MvccStore store = MvccStore.open(log(files, "/other"))) {
            assertThat(range(store, all())).isEqualTo(expected);
            assertThat(store.appliedIndex()).isEqualTo(1000);
            assertThat(store.appliedTerm()).isEqualTo(7);
            assertThat(store.publishedRevision()).isEqualTo(301);
            assertThat(store.compactedRevision()).isEqualTo(100);
            assertThat(rows(store, 5)).containsExactly("id=body");
            assertThat(scan(store, 100)).hasSize(202);
        }
    }

    @Test
    void failedWriteStopsTheStoreAndReopeningFindsTheStateBefore() throws IOException {
        HostileFileSystem files = new HostileFileSystem();
        MvccStore store = MvccStore.open(log(files, "/store"));
        put(store, "a", "1");
        files.setFreeBytes(70);
        WriteTxn txn = store.begin();
        txn.put(bytes("a"), ByteBuffer.wrap(bytes("2")), 0);
        txn.put(bytes("b"), ByteBuffer.wrap(bytes("2")), 0);
        txn.end();
        assertThatThrownBy(() -> commit(store)).isInstanceOf(StoreFailedException.class);
        files.setFreeBytes(Long.MAX_VALUE);
        assertThatThrownBy(() -> store.range(all())).isInstanceOf(StoreFailedException.class);
        assertThatThrownBy(() -> commit(store)).isInstanceOf(StoreFailedException.class);
        assertThatThrownBy(() -> store.scan(2, 2, _ -> true)).isInstanceOf(StoreFailedException.class);
        store.close();
        try (MvccStore again = MvccStore.open(log(files, "/store"))) {
            assertThat(range(again, all())).containsExactly("a=1");
            assertThat(again.appliedIndex()).isEqualTo(1);
            put(again, "b", "3");
            assertThat(range(again, all())).containsExactly("a=1", "b=3");
        }
    }

    @Test
    void powerLossLeavesAConsistentStoreAtAnEarlierAppliedIndex() throws IOException {
        long seed = Long.getLong("nightjar.seed", System.nanoTime());
        Random random = new Random(seed);
        for (int run = 0; run < 20; run++) {
            HostileFileSystem files = new HostileFileSystem();
            MvccStore store = MvccStore.open(log(files, "/store"));
            List<List<String>> states = new ArrayList<>();
            states.add(range(store, all()));
            long durable = 0;
            for (int i = 0; i < 40; i++) {
                put(store, "key" + random.nextInt(10), "value" + i);
                states.add(range(store, all()));
                durable = random.nextInt(8) == 0 ? store.sync() : durable;
            }
            try (MvccStore after = MvccStore.open(log(files.crash(random), "/store"))) {
                assertThat(after.appliedIndex()).as("seed %d", seed).isBetween(durable, 40L);
                assertThat(range(after, all())).as("seed %d", seed).isEqualTo(states.get((int) after.appliedIndex()));
            }
        }
    }

    @Test
    void closeForgetsWhatWasNotCommitted() throws IOException {
        MvccStore store = MvccStore.open(records);
        put(store, "a", "1");
        WriteTxn txn = store.begin();
        txn.put(bytes("a"), ByteBuffer.wrap(bytes("2")), 0);
        txn.end();
        store.close();
        try (MvccStore again = MvccStore.open(records)) {
            assertThat(range(again, all())).containsExactly("a=1");
            assertThat(again.publishedRevision()).isEqualTo(2);
        }
    }

    @Test
    void readsAfterCloseAreRefused() throws IOException {
        MvccStore store = MvccStore.open(log(new HostileFileSystem(), "/store"));
        put(store, "a", "1");
        KvView kept = get(store, "a");
        store.close();
        assertThatThrownBy(() -> store.range(all())).isInstanceOf(StoreFailedException.class);
        assertThat(text(kept.value())).isEqualTo("1");
    }

    @Test
    void ofAVeryLargeBatchOnlyTheChangesAfterTheLargestRevisionAreListed() throws IOException {
        try (MvccStore store = MvccStore.open(records)) {
            int keys = (int) (WriteBatch.LISTED_BYTES / Change.OVERHEAD_BYTES);
            WriteTxn large = store.begin();
            for (int i = 0; i < keys; i++) {
                large.put(bytes("%06d".formatted(i)), ByteBuffer.wrap(bytes("v")), 0);
            }
            large.end();
            WriteTxn small = store.begin();
            small.put(bytes("k"), ByteBuffer.wrap(bytes("v")), 0);
            small.end();
            List<Change> changes = commit(store);
            assertThat(changes).extracting(Change::isOmission).containsExactly(true, false);
            assertThat(changes).extracting(Change::revision).containsExactly(2L, 3L);
            assertThat(put(store, "k", "w").isOmission()).isFalse();
            long[] seen = {0};
            store.scan(2, 2, change -> ++seen[0] > 0);
            assertThat(seen[0]).isEqualTo(keys);
        }
    }
}

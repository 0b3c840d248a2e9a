/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.mvcc;

import static dev.nightjar.core.mvcc.StoreSteps.NEVER;
import static dev.nightjar.core.mvcc.StoreSteps.all;
import static dev.nightjar.core.mvcc.StoreSteps.bytes;
import static dev.nightjar.core.mvcc.StoreSteps.commit;
import static dev.nightjar.core.mvcc.StoreSteps.compactAll;
import static dev.nightjar.core.mvcc.StoreSteps.compactAndPack;
import static dev.nightjar.core.mvcc.StoreSteps.delete;
import static dev.nightjar.core.mvcc.StoreSteps.get;
import static dev.nightjar.core.mvcc.StoreSteps.log;
import static dev.nightjar.core.mvcc.StoreSteps.overwrite;
import static dev.nightjar.core.mvcc.StoreSteps.pack;
import static dev.nightjar.core.mvcc.StoreSteps.put;
import static dev.nightjar.core.mvcc.StoreSteps.range;
import static dev.nightjar.core.mvcc.StoreSteps.scan;
import static dev.nightjar.core.mvcc.StoreSteps.text;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.nightjar.core.storage.HostileFileSystem;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Giving disk space back; segments have 4096 bytes here. */
class PackingTest {

    private static final Path DATA = Path.of("/store/data-00000001");

    private final HostileFileSystem files = new HostileFileSystem();

    @Test
    void spaceOfSupersededValuesComesBack() throws IOException {
        try (MvccStore store = MvccStore.open(log(files, "/store"))) {
            overwrite(store, 2000);
            long before = store.sizeBytes();
            int filesBefore = files.list(DATA).size();
            List<String> state = range(store, all());
            compactAndPack(store);
            assertThat(store.sizeBytes()).isLessThan(before / 10);
            assertThat(files.list(DATA).size()).isLessThan(filesBefore / 10);
            assertThat(range(store, all())).isEqualTo(state);
            assertThat(store.packStep(false)).isFalse();
            put(store, "key1", "after");
            assertThat(text(get(store, "key1").value())).isEqualTo("after");
            assertThat(get(store, "key1").version()).isEqualTo(201);
        }
        try (MvccStore store = MvccStore.open(log(files, "/store"))) {
            assertThat(text(get(store, "key1").value())).isEqualTo("after");
            assertThat(get(store, "key1").version()).isEqualTo(201);
            assertThat(get(store, "key1").createRevision()).isEqualTo(3);
            assertThat(store.publishedRevision()).isEqualTo(2002);
        }
    }

    @Test
    void historyAboveTheCompactedRevisionStays() throws IOException {
        try (MvccStore store = MvccStore.open(log(files, "/store"))) {
            overwrite(store, 1000);
            delete(store, "key3");
            List<Change> history = scan(store, 900);
            List<String> old = range(store, all().atRevision(901));
            store.compact(900);
            commit(store);
            compactAll(store);
            pack(store);
            assertThat(files.list(DATA)).anyMatch(name -> name.endsWith(".pack"));
            assertThat(range(store, all().atRevision(901))).isEqualTo(old);
            List<Change> after = scan(store, 900);
            assertThat(after).hasSameSizeAs(history);
            for (int i = 0; i < after.size(); i++) {
                assertThat(after.get(i).keyValue()).isEqualTo(history.get(i).keyValue());
            }
        }
    }

    @Test
    void replacedValueIsFoundThoughItsRecordHasMoved() throws IOException {
        try (MvccStore store = MvccStore.open(log(files, "/store"))) {
            put(store, "moved", "first");
            put(store, "gone", "lease");
            overwrite(store, 500);
            Change before = put(store, "moved", "second");
            store.compact(store.currentRevision() - 1);
            commit(store);
            compactAll(store);
            WriteTxn txn = store.begin();
            txn.put(bytes("moved"), ByteBuffer.wrap(bytes("third")), 0);
            DeleteResult deleted = txn.delete(bytes("gone"), StoreSteps.ONE);
            pack(store);
            // All three name places in files that are not there any more.
            assertThat(text(deleted.iterator().next().previous().value())).isEqualTo("lease");
            assertThat(new String(previous(store, before), UTF_8)).endsWith("first");
            txn.end();
            commit(store);
        }
    }

    private static byte[] previous(MvccStore store, Change change) {
        byte[] previous = store.previous(change);
        assertThat(previous).isNotNull();
        return previous == null ? new byte[0] : previous;
    }

    @Test
    void manySmallSegmentsBecomeOne() throws IOException {
        for (int i = 0; i < 20; i++) {
            Path copy = Path.of("/copy" + i);
            files.createDirectories(copy);
            try (MvccStore store = MvccStore.open(log(files, "/store"))) {
                put(store, "key" + i, "v");
                store.cut();
                store.checkpoint(copy);
            }
        }
        assertThat(files.list(DATA)).hasSizeGreaterThan(20);
        try (MvccStore store = MvccStore.open(log(files, "/store"))) {
            pack(store);
            assertThat(files.list(DATA)).hasSizeLessThan(10);
            assertThat(range(store, all())).hasSize(20);
        }
    }

    @Test
    void voidRowsAreGivenBackAndTheOthersKept() throws IOException {
        byte[] body = new byte[20_000];
        try (MvccStore store = MvccStore.open(log(files, "/store"))) {
            store.putRow(1, bytes("kept"), bytes("row"));
            for (int i = 0; i < 100; i++) {
                store.putRow(2, bytes("row" + i % 3), body);
                put(store, "key", "v" + i);
            }
            store.removeRow(2, bytes("row0"));
            commit(store);
            long before = store.sizeBytes();
            compactAndPack(store);
            assertThat(store.sizeBytes()).isBetween((long) body.length, before - Rows.MIN_VOID_BYTES);
        }
        for (int i = 0; i < 2; i++) {
            try (MvccStore store = MvccStore.open(log(files, "/store"))) {
                assertThat(StoreSteps.rows(store, 1)).containsExactly("kept=row");
                assertThat(store.rows(2))
                        .extracting(row -> new String(row.id(), UTF_8))
                        .containsExactly("row1", "row2");
                compactAndPack(store);
            }
        }
    }

    @Test
    void rowsBehindTheirResetSurviveThePackingOfItsSegment() throws IOException {
        byte[] body = new byte[(int) Rows.MIN_VOID_BYTES / 50];
        try (MvccStore store = MvccStore.open(log(files, "/store"))) {
            store.putRow(1, bytes("kept"), bytes("row"));
            for (int i = 0; i < 50; i++) {
                store.putRow(2, bytes("big"), body);
            }
            commit(store);
            // One more makes the reset due; it is small, and so is the segment that it goes to.
            store.removeRow(2, bytes("big"));
            commit(store);
            put(store, "key0", "v");
            store.putRow(1, bytes("later"), bytes("row"));
            overwrite(store, 200);
            compactAndPack(store);
            assertThat(store.sizeBytes()).isLessThan(10_000);
        }
        for (int i = 0; i < 2; i++) {
            try (MvccStore store = MvccStore.open(log(files, "/store"))) {
                assertThat(store.rows(1))
                        .extracting(row -> new String(row.id(), UTF_8))
                        .containsExactly("kept", "later");
                assertThat(store.rows(2)).isEmpty();
                compactAndPack(store);
            }
        }
    }

    @Test
    void packStepIsBounded() throws IOException {
        try (MvccStore store = MvccStore.open(log(files, "/store"))) {
            StoreSteps.putMany(store, 3000, "v");
            StoreSteps.putMany(store, 1600, "w");
            store.compact(store.currentRevision());
            commit(store);
            compactAll(store);
            int steps = 0;
            while (store.packStep(false)) {
                steps++;
            }
            // To begin, to copy, and to tell 1400 new places, 256 at a time.
            assertThat(steps).isEqualTo(8);
        }
    }

    @Test
    void deletedKeyDoesNotComeBackWhileAnOldValueIsStillOnDisk() throws IOException {
        try (MvccStore store = MvccStore.open(log(files, "/store"))) {
            // The first segment stays: most of it is in use.
            putLong(store, "dead");
            putLong(store, "live1");
            putLong(store, "live2");
            putLong(store, "live3");
            // The second does not: the tombstone is all that is left of it.
            delete(store, "dead");
            overwrite(store, 200);
            compactAndPack(store);
            assertThat(files.list(DATA).getFirst()).endsWith(".seg");
            assertThat(files.list(DATA)).anyMatch(name -> name.endsWith(".pack"));
        }
        try (MvccStore store = MvccStore.open(log(files, "/store"))) {
            assertThat(store.range(RangeQuery.of(bytes("dead"))).count()).isZero();
            assertThat(store.range(RangeQuery.of(bytes("live1"))).count()).isEqualTo(1);
            compactAndPack(store);
        }
        try (MvccStore store = MvccStore.open(log(files, "/store"))) {
            assertThat(store.range(RangeQuery.of(bytes("dead"))).count()).isZero();
        }
    }

    @Test
    void tombstonesThatWaitAreSweptWhenTheyBecomeMany() throws IOException {
        try (MvccStore store = MvccStore.open(log(files, "/store"))) {
            putLong(store, "dead");
            putLong(store, "live1");
            putLong(store, "live2");
            putLong(store, "live3");
            delete(store, "dead");
            for (int i = 0; i < 400; i++) {
                put(store, "short" + i, "v");
                delete(store, "short" + i);
            }
            compactAndPack(store);
            assertThat(store.sizeBytes() - store.sizeInUseBytes()).isLessThan(4096);
            assertThat(files.list(DATA).getFirst()).endsWith(".pack");
        }
        try (MvccStore store = MvccStore.open(log(files, "/store"))) {
            assertThat(range(store, all())).hasSize(3);
        }
    }

    private static void putLong(MvccStore store, String key) {
        put(store, key, "x".repeat(1000));
    }

    @Test
    void hashTellsDifferentStoresApartButNotHowFarCompactionHasCome() throws IOException {
        KvHash lazy;
        try (MvccStore store = MvccStore.open(log(files, "/lazy"))) {
            history(store, "v");
            lazy = store.hash(0, NEVER);
            assertThat(store.hash(250, NEVER)).isEqualTo(store.hash(250, NEVER)).isNotEqualTo(lazy);
            assertThatThrownBy(() -> store.hash(99, NEVER)).isInstanceOf(RevisionCompactedException.class);
            assertThatThrownBy(() -> store.hash(9999, NEVER)).isInstanceOf(FutureRevisionException.class);
            assertThat(lazy.compactedRevision()).isEqualTo(100);
            assertThat(lazy.revision()).isEqualTo(store.publishedRevision());
        }
        try (MvccStore store = MvccStore.open(log(files, "/store"))) {
            history(store, "v");
            assertThat(store.hash(0, NEVER)).isEqualTo(lazy);
            while (store.compactStep(Long.MAX_VALUE)) {
                assertThat(store.hash(0, NEVER)).isEqualTo(lazy);
            }
            while (store.packStep(false)) {
                assertThat(store.hash(0, NEVER)).isEqualTo(lazy);
            }
            assertThat(files.list(DATA)).anyMatch(name -> name.endsWith(".pack"));
        }
        try (MvccStore store = MvccStore.open(log(files, "/store"))) {
            assertThat(store.hash(0, NEVER)).isEqualTo(lazy);
        }
        try (MvccStore store = MvccStore.open(log(files, "/other"))) {
            history(store, "w");
            assertThat(store.hash(0, NEVER).hash()).isNotEqualTo(lazy.hash());
        }
    }

    private static void history(MvccStore store, String value) {
        put(store, "quiet", value);
        put(store, "gone", "v");
        delete(store, "gone");
        overwrite(store, 300);
        delete(store, "key1");
        store.compact(100);
        commit(store);
    }
}

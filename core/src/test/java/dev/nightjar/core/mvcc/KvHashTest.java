/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.mvcc;

import static dev.nightjar.core.mvcc.StoreSteps.ALL;
import static dev.nightjar.core.mvcc.StoreSteps.NEVER;
import static dev.nightjar.core.mvcc.StoreSteps.ONE;
import static dev.nightjar.core.mvcc.StoreSteps.bytes;
import static dev.nightjar.core.mvcc.StoreSteps.commit;
import static dev.nightjar.core.mvcc.StoreSteps.compactAll;
import static dev.nightjar.core.mvcc.StoreSteps.delete;
import static dev.nightjar.core.mvcc.StoreSteps.log;
import static dev.nightjar.core.mvcc.StoreSteps.put;
import static dev.nightjar.core.mvcc.StoreSteps.putMany;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.nightjar.core.storage.HostileFileSystem;
import dev.nightjar.core.storage.MemoryRecordStore;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class KvHashTest {

    private static KvHash hash(int hash, long compacted, long revision) {
        return new KvHash(hash, compacted, revision);
    }

    private static void deleteAll(MvccStore store, String from) {
        WriteTxn txn = store.begin();
        txn.delete(bytes(from), ALL);
        txn.end();
        commit(store);
    }

    private static void compact(MvccStore store, long revision) {
        store.compact(revision);
        commit(store);
        assertThat(compactAll(store)).isEqualTo(revision);
    }

    /** The numbers were read from an etcd 3.7.3 that was given this history. */
    @Test
    void numbersAreThoseOfEtcd() throws IOException {
        MemoryRecordStore records = new MemoryRecordStore();
        try (MvccStore store = MvccStore.open(records)) {
            put(store, "a1", "v");
            put(store, "a2", "v");
            put(store, "a3", "v");
            delete(store, "a1");
            put(store, "b", "x");
            assertThat(store.hash(0, NEVER)).isEqualTo(hash((int) 2353114584L, -1, 6));
            assertThat(store.hash(3, NEVER)).isEqualTo(hash(1830753234, -1, 3));
            assertThat(store.hash(-3, NEVER)).isEqualTo(hash(1084519789, -1, -3));
            compact(store, 4);
            assertThat(store.hash(4, NEVER)).isEqualTo(hash((int) 3545570236L, -1, 4));
            assertThat(store.hash(5, NEVER)).isEqualTo(hash(1531600288, 4, 5));
            assertThat(store.hash(6, NEVER)).isEqualTo(hash((int) 2726911027L, 4, 6));
            compact(store, 5);
            assertThat(store.hash(5, NEVER)).isEqualTo(hash(1531600288, 4, 5));
            assertThat(store.hash(4, NEVER)).isEqualTo(hash((int) 3545570236L, -1, 4));
        }
        try (MvccStore store = MvccStore.open(records)) {
            assertThat(store.hash(5, NEVER)).isEqualTo(hash(1282184957, 5, 5));
            assertThat(store.hash(0, NEVER)).isEqualTo(hash((int) 2947136761L, 5, 6));
            deleteAll(store, "a");
            for (int i = 1; i <= 5; i++) {
                put(store, "q" + i, "1");
            }
            deleteAll(store, "q");
            compact(store, 10);
            compact(store, 12);
            assertThat(store.hash(12, NEVER)).isEqualTo(hash((int) 2603300907L, 10, 12));
        }
    }

    @Test
    void hashesOfTheTenNewestCompactionsAreKept() throws IOException {
        try (MvccStore store = MvccStore.open(new MemoryRecordStore())) {
            for (int i = 0; i < 20; i++) {
                put(store, "k" + i % 3, "v" + i);
            }
            for (long revision = 2; revision <= 13; revision++) {
                compact(store, revision);
            }
            for (long revision = 4; revision <= 13; revision++) {
                assertThat(store.hash(revision, NEVER).compactedRevision()).isEqualTo(revision - 1);
            }
            assertThatThrownBy(() -> store.hash(3, NEVER)).isInstanceOf(RevisionCompactedException.class);
        }
    }

    @Test
    void compactionThatCameBeforeTheOneBeforeWasDoneGoesWithoutHash() throws IOException {
        try (MvccStore store = MvccStore.open(new MemoryRecordStore())) {
            putMany(store, 3, "1");
            putMany(store, 3, "2");
            putMany(store, 3, "3");
            store.compact(2);
            store.compact(3);
            compact(store, 4);
            assertThat(store.hash(2, NEVER).compactedRevision()).isEqualTo(-1);
            assertThatThrownBy(() -> store.hash(3, NEVER)).isInstanceOf(RevisionCompactedException.class);
            assertThat(store.hash(4, NEVER).compactedRevision()).isEqualTo(4);
        }
    }

    @Test
    void manyCompactionsAtOnceLeaveBoundedNotes() throws IOException {
        int count = 3 * CompactionHashes.WAITING;
        try (MvccStore store = MvccStore.open(new MemoryRecordStore())) {
            for (int i = 0; i < count + 1; i++) {
                put(store, "k", "v" + i);
            }
            for (int i = 0; i < count; i++) {
                store.compact(2 + i);
            }
            commit(store);
            assertThat(compactAll(store)).isEqualTo(1 + count);
            // The first ones were dropped, so none follows on what was done.
            assertThatThrownBy(() -> store.hash(2, NEVER)).isInstanceOf(RevisionCompactedException.class);
            compact(store, 2 + count);
            assertThat(store.hash(2 + count, NEVER).compactedRevision()).isEqualTo(1 + count);
        }
    }

    @Test
    void storeThatIsTooLargeToBeReadForEachCompactionKeepsNoHash() throws IOException {
        MemoryRecordStore records = new MemoryRecordStore();
        try (MvccStore store = MvccStore.open(records)) {
            put(store, "a", "1");
            for (long most : List.of(records.sizeBytes(), records.sizeBytes() - 1)) {
                CompactionHashes hashes = new CompactionHashes(store, records, most);
                hashes.asked(-1, -1);
                boolean more = true;
                while (more) {
                    more = hashes.step(-1);
                }
                assertThat(hashes.find(-1) != null).isEqualTo(most == records.sizeBytes());
            }
        }
    }

    @Test
    void hashIsGivenUpWhenNobodyWantsIt() throws IOException {
        try (MvccStore store = MvccStore.open(new MemoryRecordStore())) {
            for (int i = 0; i < 3; i++) {
                put(store, "k" + i, "x".repeat((int) HashWalk.STEP_BYTES));
            }
            assertThatThrownBy(() -> store.hash(0, () -> true)).isInstanceOf(CancellationException.class);
            assertThat(store.pins().lowest(Long.MAX_VALUE)).isEqualTo(Long.MAX_VALUE);
        }
    }

    @Test
    void compactionPassesARunningHash() throws IOException {
        HostileFileSystem files = new HostileFileSystem();
        try (MvccStore store = MvccStore.open(log(files, "/store"))) {
            for (int i = 0; i < 40; i++) {
                put(store, "k" + i % 4, "x".repeat((int) HashWalk.STEP_BYTES / 10));
            }
            KvHash before = store.hash(30, NEVER);
            AtomicLong looks = new AtomicLong();
            KvHash passed = store.hash(30, () -> {
                if (looks.getAndIncrement() == 0) {
                    store.compact(40);
                    commit(store);
                    assertThat(compactAll(store)).isEqualTo(30);
                    pack(store);
                }
                return false;
            });
            assertThat(looks.get()).isPositive();
            assertThat(passed).isEqualTo(before);
            assertThat(compactAll(store)).isEqualTo(40);
        }
    }

    private static void pack(MvccStore store) {
        try {
            boolean more = true;
            while (more) {
                more = store.packStep(false);
            }
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void randomHistoriesHashAsEtcdDoes() throws IOException {
        long seed = Long.getLong("nightjar.seed", new Random().nextLong());
        Random random = new Random(seed);
        for (int round = 0; round < 30; round++) {
            new RandomHistory(random, "seed " + seed + ", -Dnightjar.seed=" + seed).run();
        }
    }

    /** One history, told to a store and to what it has to be equal to. */
    private static final class RandomHistory {
        private final Random random;
        private final String replay;
        private final HostileFileSystem files = new HostileFileSystem();
        private final Model model = new Model();
        private final EtcdHistory etcd = new EtcdHistory();
        private final int keys;

        RandomHistory(Random random, String replay) {
            this.random = random;
            this.replay = replay;
            this.keys = 1 + random.nextInt(30);
        }

        void run() throws IOException {
            for (int start = 0; start < 3; start++) {
                try (MvccStore store = MvccStore.open(log(files, "/store"))) {
                    check(store);
                    for (int step = 0; step < 60; step++) {
                        if (random.nextInt(12) == 0 && model.compacted < model.revision) {
                            compact(store);
                        } else {
                            write(store);
                        }
                        if (random.nextInt(8) == 0) {
                            check(store);
                        }
                    }
                    check(store);
                }
                etcd.restart();
            }
        }

        private void write(MvccStore store) {
            long before = model.revision;
            boolean[] used = new boolean[keys];
            WriteTxn txn = store.begin();
            int sub = 0;
            int operations = random.nextInt(5) == 0 ? 1 + random.nextInt(6) : 1;
            for (int i = 0; i < operations; i++) {
                int number = random.nextInt(keys);
                if (used[number]) {
                    continue;
                }
                used[number] = true;
                byte[] key = bytes("key%02d".formatted(number));
                if (random.nextInt(3) > 0) {
                    byte[] value = new byte[random.nextInt(4) == 0 ? 0 : random.nextInt(200)];
                    random.nextBytes(value);
                    long lease = random.nextInt(3) == 0 ? random.nextLong() : 0;
                    txn.put(key, ByteBuffer.wrap(value), lease);
                    etcd.put(model.put(key, value, lease), sub++);
                } else {
                    int size = model.events.size();
                    txn.delete(key, ONE);
                    var _ = model.delete(key, ONE);
                    if (model.events.size() > size) {
                        etcd.delete(model.events.getLast().now(), sub++);
                    }
                }
            }
            txn.end();
            commit(store);
            model.revision = before + (sub > 0 ? 1 : 0);
            assertThat(store.publishedRevision()).as(replay).isEqualTo(model.revision);
        }

        private void compact(MvccStore store) throws IOException {
            long low = Math.max(0, model.compacted + 1);
            long revision = random.nextInt(3) == 0
                    ? model.revision
                    : low + random.nextInt((int) Math.min(20, model.revision - low + 1));
            etcd.compact(revision);
            model.compacted = revision;
            store.compact(revision);
            commit(store);
            while (store.compactStep(Long.MAX_VALUE)) {
                if (revision < model.revision) {
                    checkAt(store, model.revision);
                }
            }
            check(store);
            if (random.nextBoolean()) {
                pack(store);
            }
        }

        private void check(MvccStore store) {
            assertThat(store.hash(0, NEVER)).as(replay).isEqualTo(etcd.compute(model.revision));
            long low = Math.max(1, model.compacted);
            for (long at = low; at <= model.revision; at += 1 + random.nextInt(4)) {
                checkAt(store, at);
            }
        }

        private void checkAt(MvccStore store, long revision) {
            assertThat(store.hash(revision, NEVER)).as(replay).isEqualTo(etcd.hash(revision));
        }
    }
}

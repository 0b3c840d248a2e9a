/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.mvcc;

import static dev.nightjar.core.mvcc.StoreSteps.ALL;
import static dev.nightjar.core.mvcc.StoreSteps.all;
import static dev.nightjar.core.mvcc.StoreSteps.bytes;
import static dev.nightjar.core.mvcc.StoreSteps.commit;
import static dev.nightjar.core.mvcc.StoreSteps.keys;
import static dev.nightjar.core.mvcc.StoreSteps.put;
import static org.assertj.core.api.Assertions.assertThat;

import dev.nightjar.core.mvcc.RangeQuery.RevisionFilter;
import dev.nightjar.core.mvcc.RangeQuery.SortOrder;
import dev.nightjar.core.mvcc.RangeQuery.SortTarget;
import dev.nightjar.core.storage.MemoryRecordStore;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;

class RangeTest {

    private final MemoryRecordStore records = new MemoryRecordStore();

    @Test
    void rangeForms() throws IOException {
        try (MvccStore store = MvccStore.open(records)) {
            for (String key : List.of("a", "b", "b0", "c")) {
                put(store, key, "v");
            }
            assertThat(keys(store, RangeQuery.of(bytes("b")))).containsExactly("b");
            assertThat(keys(store, RangeQuery.of(bytes("bb")))).isEmpty();
            assertThat(keys(store, RangeQuery.range(bytes("b"), bytes("c")))).containsExactly("b", "b0");
            assertThat(keys(store, RangeQuery.range(bytes("b"), ALL))).containsExactly("b", "b0", "c");
            assertThat(keys(store, all())).containsExactly("a", "b", "b0", "c");
            assertThat(keys(store, RangeQuery.range(bytes("c"), bytes("a")))).isEmpty();
            assertThat(store.range(RangeQuery.range(bytes("c"), bytes("a"))).count())
                    .isZero();
            assertThat(store.range(RangeQuery.range(bytes("b"), bytes("b"))).count())
                    .isZero();
        }
    }

    @Test
    void countIgnoresLimitAndFilterAndMoreSaysWhetherTheLimitCut() throws IOException {
        try (MvccStore store = MvccStore.open(records)) {
            for (int i = 0; i < 10; i++) {
                put(store, "k" + i, "v");
            }
            RangeResult cut = store.range(all().withLimit(4));
            assertThat(cut.count()).isEqualTo(10);
            assertThat(cut.more()).isTrue();
            assertThat(cut.kvs()).hasSize(4);
            assertThat(store.range(all().withLimit(10)).more()).isFalse();
            RangeResult counted = store.range(all().withLimit(4).withCountOnly());
            assertThat(counted.count()).isEqualTo(10);
            assertThat(counted.more()).isFalse();
            assertThat(counted.kvs()).isEmpty();
            RangeResult filtered = store.range(all().withLimit(2).withFilter(new RevisionFilter(4, 6, 0, 0)));
            assertThat(filtered.count()).isEqualTo(10);
            assertThat(filtered.more()).isTrue();
            assertThat(filtered.kvs()).extracting(KvView::modRevision).containsExactly(4L, 5L);
            RangeResult old = store.range(all().atRevision(6).withLimit(2));
            assertThat(old.count()).isEqualTo(5);
            assertThat(old.more()).isTrue();
        }
    }

    @Test
    void sortOfTargetWithoutOrderIsAscendingAndComesBeforeTheCut() throws IOException {
        try (MvccStore store = MvccStore.open(records)) {
            put(store, "a", "3");
            put(store, "b", "1");
            put(store, "c", "2");
            put(store, "d", "2");
            RangeQuery byValue = all().withSort(SortTarget.VALUE, SortOrder.NONE);
            assertThat(keys(store, byValue)).containsExactly("b", "c", "d", "a");
            assertThat(keys(store, byValue.withLimit(1))).containsExactly("b");
            assertThat(keys(store, all().withSort(SortTarget.VALUE, SortOrder.DESCEND)))
                    .containsExactly("a", "c", "d", "b");
            assertThat(keys(
                            store,
                            all().withSort(SortTarget.KEY, SortOrder.DESCEND).withLimit(3)))
                    .containsExactly("d", "c", "b");
        }
    }

    @Test
    void longRangeIsReadInChunksAtOneRevision() throws IOException {
        try (MvccStore store = MvccStore.open(records)) {
            int count = 3 * KeyScan.CHUNK_ENTRIES + 5;
            WriteTxn txn = store.begin();
            for (int i = 0; i < count; i++) {
                txn.put(bytes("%06d".formatted(i)), ByteBuffer.wrap(bytes("v")), 0);
            }
            assertThat(txn.range(all()).count()).isEqualTo(count);
            txn.end();
            commit(store);
            assertThat(store.range(all()).kvs()).hasSize(count);
            assertThat(store.range(all().atRevision(2).withCountOnly()).count()).isEqualTo(count);
            assertThat(store.range(all().atRevision(1)).count()).isZero();
            WriteTxn deletion = store.begin();
            assertThat(deletion.delete(ALL, ALL).count()).isEqualTo(count);
            deletion.end();
            commit(store);
            assertThat(store.range(all()).count()).isZero();
            assertThat(store.range(all().atRevision(2)).kvs()).hasSize(count);
        }
    }

    @Test
    void countAtAnOlderRevisionIsExactWhetherFromTheChangesSinceOrFromTheIndex() throws IOException {
        try (MvccStore store = MvccStore.open(records)) {
            StoreSteps.putMany(store, 1000, "v");
            long before = store.publishedRevision();
            put(store, "000500x", "new");
            put(store, "000501", "again");
            StoreSteps.delete(store, "000502");
            put(store, "000502", "back");
            StoreSteps.delete(store, "000503");
            WriteTxn txn = store.begin();
            txn.put(bytes("000504x"), ByteBuffer.allocate(0), 0);
            txn.delete(bytes("000504x"), new byte[0]);
            txn.end();
            StoreSteps.commit(store);
            long after = store.publishedRevision();
            RangeQuery few = RangeQuery.range(bytes("0005"), bytes("0006")).withLimit(1);
            for (RangeQuery query : List.of(few, all().withLimit(1), all().withCountOnly(), few.withLimit(99))) {
                assertThat(store.range(query.atRevision(after)).count())
                        .isEqualTo(store.range(query.atRevision(before)).count());
                assertThat(store.range(query.atRevision(before + 1)).count())
                        .isEqualTo(store.range(query.atRevision(before)).count() + 1);
            }
            assertThat(store.range(few.atRevision(before)).count()).isEqualTo(100);
            assertThat(store.range(all().atRevision(1)).count()).isZero();
        }
    }
}

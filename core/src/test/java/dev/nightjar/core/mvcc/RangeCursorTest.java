/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.core.mvcc;

import static dev.nightjar.core.mvcc.StoreSteps.all;
import static dev.nightjar.core.mvcc.StoreSteps.bytes;
import static dev.nightjar.core.mvcc.StoreSteps.commit;
import static dev.nightjar.core.mvcc.StoreSteps.compactAll;
import static dev.nightjar.core.mvcc.StoreSteps.log;
import static dev.nightjar.core.mvcc.StoreSteps.put;
import static dev.nightjar.core.mvcc.StoreSteps.putMany;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.nightjar.api.etcdserverpb.RangeResponse;
import dev.nightjar.api.mvccpb.KeyValue;
import dev.nightjar.core.mvcc.RangeQuery.RevisionFilter;
import dev.nightjar.core.mvcc.RangeQuery.SortOrder;
import dev.nightjar.core.mvcc.RangeQuery.SortTarget;
import dev.nightjar.core.storage.HostileFileSystem;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Long reads in pieces; segments have 4096 bytes here, so that thousands of keys lie in many files. */
class RangeCursorTest {

    /** More than are kept. */
    private static final int KEYS = RangeCursor.KEPT_PLACES + 900;

    private final long seed = Long.getLong("nightjar.seed", System.nanoTime());
    private final Random random = new Random(seed);
    private final HostileFileSystem files = new HostileFileSystem();
    private final CountedBudget budget = new CountedBudget(Long.MAX_VALUE);

    /** Memory up to a limit. */
    private static final class CountedBudget implements MemoryBudget {
        private final long limit;
        private long taken;

        CountedBudget(long limit) {
            this.limit = limit;
        }

        @Override
        public boolean take(long bytes) {
            if (taken + bytes > limit) {
                return false;
            }
            taken += bytes;
            return true;
        }

        @Override
        public void release(long bytes) {
            taken -= bytes;
        }
    }

    @Test
    void aCursorGivesWhatIsThereInTheOrderAndUpToTheLimitThatIsAskedFor() throws IOException {
        try (MvccStore store = MvccStore.open(log(files, "/store"))) {
            fill(store);
            for (int i = 0; i < 300; i++) {
                RangeQuery query = randomQuery(store);
                try {
                    assertSame(store, query);
                } catch (AssertionError | RuntimeException e) {
                    throw new AssertionError(query + ": replay with -Dnightjar.seed=" + seed, e);
                }
            }
        }
        assertThat(budget.taken).isZero();
    }

    private void assertSame(MvccStore store, RangeQuery query) throws IOException {
        RangeResult found =
                store.range(RangeQuery.range(query.key(), query.end()).atRevision(query.revision()));
        List<KvView> wanted = wanted(query, found.kvs());
        boolean more = query.limit() > 0 && wanted.size() > query.limit();
        List<KvView> expected = more ? wanted.subList(0, (int) query.limit()) : wanted;
        try (RangeCursor cursor = store.cursor(query, budget)) {
            assertThat(cursor.revision()).isEqualTo(found.revision());
            assertThat(cursor.count()).isEqualTo(found.kvs().size());
            assertThat(cursor.more()).isEqualTo(more);
            assertThat(cursor.keys()).isEqualTo(expected.size());
            assertThat(copied(cursor, () -> {})).isEqualTo(keyValues(expected, query.keysOnly()));
        }
    }

    /** Those of the keys found that pass the filter, in the order asked for. */
    private static List<KvView> wanted(RangeQuery query, List<KvView> found) {
        if (query.countOnly()) {
            return List.of();
        }
        Comparator<KvView> order = switch (query.sort().target()) {
            case KEY -> (one, other) -> Arrays.compareUnsigned(one.key(), other.key());
            case VERSION -> Comparator.comparingLong(KvView::version);
            case CREATE -> Comparator.comparingLong(KvView::createRevision);
            case MOD -> Comparator.comparingLong(KvView::modRevision);
            case VALUE -> KvView::compareValue;
        };
        return found.stream()
                .filter(query.filter()::accepts)
                .sorted(query.sort().order() == SortOrder.DESCEND ? order.reversed() : order)
                .toList();
    }

    private void fill(MvccStore store) {
        putMany(store, KEYS, "first");
        for (int i = 0; i < 40; i++) {
            WriteTxn txn = store.begin();
            for (int j = 0; j < 100; j++) {
                byte[] key = bytes("%06d".formatted(random.nextInt(KEYS)));
                if (random.nextInt(5) == 0) {
                    txn.delete(key, StoreSteps.ONE);
                } else {
                    byte[] value = new byte[random.nextInt(30)];
                    random.nextBytes(value);
                    txn.put(key, ByteBuffer.wrap(value), random.nextInt(3));
                }
            }
            txn.end();
            commit(store);
        }
    }

    private RangeQuery randomQuery(MvccStore store) {
        RangeQuery range = random.nextInt(3) == 0 ? all() : RangeQuery.range(randomKey(), randomKey());
        RangeQuery query = random.nextInt(10) == 0 ? RangeQuery.of(randomKey()) : range;
        if (random.nextBoolean()) {
            query = query.atRevision(2 + random.nextLong(store.publishedRevision() - 1));
        }
        if (random.nextBoolean()) {
            query = query.withLimit(random.nextBoolean() ? random.nextInt(20) : random.nextInt(2 * KEYS));
        }
        if (random.nextInt(3) == 0) {
            query = query.withFilter(
                    new RevisionFilter(randomBound(), 20 + randomBound(), randomBound(), 20 + randomBound()));
        }
        if (random.nextBoolean()) {
            query = query.withSort(pick(SortTarget.values()), pick(SortOrder.values()));
        }
        boolean countOnly = random.nextInt(10) == 0;
        return new RangeQuery(
                query.key(),
                query.end(),
                query.revision(),
                query.limit(),
                random.nextBoolean(),
                countOnly,
                query.filter(),
                query.sort());
    }

    private byte[] randomKey() {
        return bytes("%06d".formatted(random.nextInt(KEYS + 10)));
    }

    private long randomBound() {
        return random.nextInt(20);
    }

    private <T> T pick(T[] values) {
        return values[random.nextInt(values.length)];
    }

    /** Everything that a cursor gives, in pieces of any size, with something done between them. */
    private List<KeyValue> copied(RangeCursor cursor, Runnable between) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        while (!cursor.isDone()) {
            ByteBuffer piece = ByteBuffer.allocateDirect(RangeCursor.MAX_HEAD_BYTES + random.nextInt(20_000));
            cursor.copy(piece);
            assertThat(piece.position()).isPositive();
            byte[] got = new byte[piece.position()];
            piece.get(0, got);
            bytes.write(got);
            between.run();
        }
        assertThat(bytes.size()).isEqualTo(cursor.bytes());
        return RangeResponse.parseFrom(bytes.toByteArray()).getKvsList();
    }

    private static List<KeyValue> keyValues(List<KvView> views, boolean keysOnly)
            throws InvalidProtocolBufferException {
        List<KeyValue> kvs = new ArrayList<>();
        for (KvView view : views) {
            KeyValue kv = KeyValue.parseFrom(view.encoded());
            kvs.add(keysOnly ? kv.toBuilder().clearValue().build() : kv);
        }
        return kvs;
    }

    @Test
    void compactionAndPackingThatPassChangeNothing() throws IOException {
        try (MvccStore store = MvccStore.open(log(files, "/store"))) {
            fill(store);
            List<KeyValue> expected = keyValues(store.range(all()).kvs(), false);
            try (RangeCursor cursor = store.cursor(all(), budget)) {
                assertThat(copied(cursor, () -> overwriteAndCompact(store))).isEqualTo(expected);
                assertThat(cursor.holdsCompaction()).isTrue();
            }
            assertThat(compactAll(store)).isEqualTo(store.compactedRevision());
            assertSame(store, all());
        }
    }

    private void overwriteAndCompact(MvccStore store) {
        WriteTxn txn = store.begin();
        for (int i = 0; i < 50; i++) {
            byte[] key = randomKey();
            if (random.nextBoolean()) {
                txn.put(key, ByteBuffer.wrap(bytes("later")), 0);
            } else {
                txn.delete(key, StoreSteps.ONE);
            }
        }
        txn.put(bytes("k"), ByteBuffer.wrap(bytes("later")), 0);
        txn.end();
        store.compact(store.currentRevision());
        commit(store);
        compactAll(store);
        try {
            for (int i = 0; i < 20 && store.packStep(false); i++) {}
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void aReadOfFewKeysAndASortedOneHoldNothingBackAndSurviveTheEndOfTheirFiles() throws IOException {
        try (MvccStore store = MvccStore.open(log(files, "/store"))) {
            fill(store);
            RangeQuery few = all().withLimit(RangeCursor.KEPT_PLACES);
            RangeQuery byValue = all().withSort(SortTarget.VALUE, SortOrder.DESCEND);
            for (RangeQuery query : List.of(few, byValue)) {
                List<KeyValue> expected = keyValues(store.range(query).kvs(), false);
                try (RangeCursor cursor = store.cursor(query, budget)) {
                    assertThat(copied(cursor, () -> overwriteAndCompact(store))).isEqualTo(expected);
                    assertThat(cursor.holdsCompaction()).isFalse();
                    assertThat(store.compactionDoneRevision()).isEqualTo(store.compactedRevision());
                }
            }
        }
    }

    @Test
    void aShortCursorIsGivenOnlyWhereFewKeysHaveToBeLookedAtAndTheirNumberIsKnown() throws IOException {
        try (MvccStore store = MvccStore.open(log(files, "/store"))) {
            putMany(store, 1000, "value");
            long then = store.currentRevision();
            put(store, "000001", "new");
            commit(store);
            RangeQuery sorted = all().withSort(SortTarget.VALUE, SortOrder.DESCEND);
            RangeQuery filtered = all().withFilter(new RevisionFilter(1, 0, 0, 0));
            for (RangeQuery all : List.of(all(), sorted, filtered)) {
                assertShort(store, all, 1000, 1000);
                assertThat(store.shortCursor(all, 999, budget)).isNull();
            }
            // With a limit the walk ends there, unless it takes all keys to know which come first.
            assertShort(store, all().withLimit(5), 5, 5);
            assertShort(store, all().withCountOnly(), 5, 0);
            assertThat(store.shortCursor(sorted.withLimit(5), 999, budget)).isNull();
            assertThat(store.shortCursor(filtered.withLimit(5), 999, budget)).isNull();
            assertThat(store.shortCursor(all().atRevision(then), 1000, budget)).isNull();
        }
        assertThat(budget.taken).isZero();
    }

    private void assertShort(MvccStore store, RangeQuery query, long mostKeys, long keys) throws IOException {
        try (RangeCursor cursor = Objects.requireNonNull(store.shortCursor(query, mostKeys, budget))) {
            assertThat(cursor.count()).isEqualTo(1000);
            assertThat(cursor.keys()).isEqualTo(keys);
            assertThat(copied(cursor, () -> {}))
                    .isEqualTo(keyValues(store.range(query).kvs(), false));
        }
    }

    @Test
    void whatASortTakesIsEstimatedByItsLimitHoweverLargeThatIs() throws IOException {
        try (MvccStore store = MvccStore.open(log(files, "/store"))) {
            putMany(store, 1000, "value");
            ReadEstimate estimate = new ReadEstimate(store);
            RangeQuery sorted = all().withSort(SortTarget.VALUE, SortOrder.DESCEND);
            assertThat(estimate.sortBytes(sorted.withLimit(5))).isEqualTo(10L * SortedPlaces.ENTRY_BYTES);
            for (long limit : new long[] {0, 500, 1000, 1L << 31, 1L << 62, Long.MAX_VALUE}) {
                assertThat(estimate.sortBytes(sorted.withLimit(limit)))
                        .as("limit %d", limit)
                        .isEqualTo(1000L * SortedPlaces.ENTRY_BYTES);
            }
        }
    }

    @Test
    void aSortThatFindsNoMemoryFailsAndGivesBackWhatItHas() throws IOException {
        try (MvccStore store = MvccStore.open(log(files, "/store"))) {
            putMany(store, KEYS, "value");
            RangeQuery byVersion = all().withSort(SortTarget.VERSION, SortOrder.ASCEND);
            CountedBudget small = new CountedBudget(100_000);
            assertThatThrownBy(() -> store.cursor(byVersion, small)).isInstanceOf(ReadTooLargeException.class);
            assertThat(small.taken).isZero();
            // A limited one needs little, however many keys there are.
            try (RangeCursor cursor = store.cursor(byVersion.withLimit(100), small)) {
                assertThat(cursor.keys()).isEqualTo(100);
                assertThat(cursor.more()).isTrue();
            }
            assertThat(small.taken).isZero();
        }
    }

    @Test
    void theEndOfAReadInTheMiddleLetsCompactionPass() throws IOException {
        try (MvccStore store = MvccStore.open(log(files, "/store"))) {
            putMany(store, KEYS, "value");
            RangeCursor cursor = store.cursor(all(), budget);
            cursor.copy(ByteBuffer.allocateDirect(1000));
            put(store, "000001", "new");
            put(store, "000001", "newer");
            store.compact(store.currentRevision());
            commit(store);
            assertThat(compactAll(store)).isLessThan(store.compactedRevision());
            assertThat(cursor.holdsCompaction()).isTrue();
            cursor.close();
            cursor.close();
            assertThat(cursor.holdsCompaction()).isFalse();
            assertThat(compactAll(store)).isEqualTo(store.compactedRevision());
        }
    }

    @Test
    void piecesEndWithTheKeyThatBringsThemToTheirSize() throws IOException {
        try (MvccStore store = MvccStore.open(log(files, "/store"))) {
            putMany(store, 1000, "0123456789");
            try (RangeCursor piece = store.piece(all().withLimit(100), 200, true)) {
                assertThat(piece.bytes()).isBetween(200L, 240L);
                assertThat(piece.more()).isTrue();
                assertThat(piece.count()).isEqualTo(1000);
                List<KeyValue> kvs = copied(piece, () -> {});
                assertThat(piece.lastKey()).isEqualTo(kvs.getLast().getKey().toByteArray());
            }
            try (RangeCursor piece = store.piece(all().withLimit(1000), 1 << 20, false)) {
                assertThat(piece.keys()).isEqualTo(1000);
                assertThat(piece.more()).isFalse();
            }
            try (RangeCursor piece = store.piece(all().withLimit(999), 1 << 20, false)) {
                assertThat(piece.keys()).isEqualTo(999);
                assertThat(piece.more()).isTrue();
            }
            assertThatThrownBy(() -> store.piece(all(), 1, true)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void aPieceIsNeverEmptyAndCountsOnlyWhatItSends() throws IOException {
        try (MvccStore store = MvccStore.open(log(files, "/store"))) {
            for (int i = 0; i < 4; i++) {
                put(store, "k" + i, "v".repeat(i == 0 ? 10 : 900));
            }
            try (RangeCursor large = store.piece(all().withLimit(10), 1, true)) {
                assertThat(large.keys()).isEqualTo(1);
            }
            try (RangeCursor some = store.piece(all().withLimit(10), 1000, true)) {
                assertThat(some.keys()).isEqualTo(3);
            }
            RangeQuery keysOnly = new RangeQuery(
                    StoreSteps.ALL, StoreSteps.ALL, 0, 10, true, false, RevisionFilter.NONE, all().sort());
            try (RangeCursor keys = store.piece(keysOnly, 1000, true)) {
                assertThat(keys.keys()).isEqualTo(4);
            }
            try (RangeCursor nothing = store.piece(RangeQuery.of(bytes("x")).withLimit(10), 1000, true)) {
                assertThat(nothing.keys()).isZero();
                assertThat(nothing.isDone()).isTrue();
            }
        }
    }

    @Test
    void countsStayRightWhileMoreKeysAreUnpublishedThanAreRemembered() throws IOException {
        try (MvccStore store = MvccStore.open(log(files, "/store"))) {
            int keys = UnpublishedCounts.MAX_KEYS + 10;
            putMany(store, keys, "v");
            WriteTxn txn = store.begin();
            txn.delete(bytes("000000"), bytes("000005"));
            assertThat(store.range(all().withCountOnly()).count()).isEqualTo(keys);
            txn.delete(StoreSteps.ALL, StoreSteps.ALL);
            txn.end();
            assertThat(store.range(all().withCountOnly()).count()).isEqualTo(keys);
            assertThat(store.range(all().withLimit(3)).count()).isEqualTo(keys);
            commit(store);
            assertThat(store.range(all().withCountOnly()).count()).isZero();
        }
    }
}
